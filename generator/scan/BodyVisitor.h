// SPDX-License-Identifier: Apache-2.0
//
// Visits what a capture runs of a body.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/Support/SaveAndRestore.h"

namespace graphgen::scan {

/// A capture does not run what graphed::host is given. It depends only on what the lambda is made of.
class BodyVisitor : public clang::DynamicRecursiveASTVisitor {
 public:
  BodyVisitor() {
    ShouldVisitImplicitCode = true;
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseCallExpr(clang::CallExpr* Call) override {
    const clang::FunctionDecl* Called = Call->getDirectCallee();
    const bool IsHostPart =
        Called && Called->getIdentifier() && Called->getName() == "host" && Called->getQualifiedNameAsString() == "graphed::host";
    const llvm::SaveAndRestore<bool> Within(IsOnHost, IsOnHost || IsHostPart);
    return clang::DynamicRecursiveASTVisitor::TraverseCallExpr(Call);
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* Lambda) override {
    if (!IsOnHost) {
      return clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
    }
    for (clang::Expr* Each : Lambda->capture_inits()) {
      if (Each) {
        TraverseStmt(Each);
      }
    }
    return true;
  }

 protected:
  bool IsOnHost = false;
};

}  // namespace graphgen::scan
