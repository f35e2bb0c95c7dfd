// SPDX-License-Identifier: Apache-2.0
//
// The AST of a source that a test writes.
#pragma once

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace graphgen::check {

inline std::unique_ptr<clang::ASTUnit> parsed(const std::string& Source, const std::vector<std::string>& Includes,
                                              const std::string& Standard = "c++17") {
  std::vector<std::string> Flags = {"-std=" + Standard, "-w", "-resource-dir", GRAPHGEN_RESOURCES};
  for (const std::string& Each : Includes) {
    Flags.insert(Flags.end(), {"-isystem", Each});
  }
  auto Unit = clang::tooling::buildASTFromCodeWithArgs(Source, Flags, "source.cpp", "clang++");
  EXPECT_TRUE(Unit && !Unit->getDiagnostics().hasErrorOccurred()) << Source;
  return Unit;
}

/// Tells the visitor of each call in the bodies of the file itself, in their order, the inner ones after the outer ones.
template <class Visitor>
class CallsOf : public clang::RecursiveASTVisitor<CallsOf<Visitor>> {
 public:
  explicit CallsOf(Visitor Tell) : Tell(Tell) {}

  bool VisitExpr(clang::Expr* E) {
    if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(E)) {
      Tell(*E);
    }
    return true;
  }

 private:
  Visitor Tell;
};

template <class Visitor>
void forEachCall(clang::ASTUnit& Unit, Visitor Tell) {
  const clang::ASTContext& Context = Unit.getASTContext();
  for (clang::Decl* Each : Context.getTranslationUnitDecl()->decls()) {
    if (Context.getSourceManager().isInMainFile(Each->getLocation())) {
      CallsOf<Visitor>(Tell).TraverseDecl(Each);
    }
  }
}

}  // namespace graphgen::check
