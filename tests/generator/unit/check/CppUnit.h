// SPDX-License-Identifier: Apache-2.0
//
// The AST of a source that a test writes.
#pragma once

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include "llvm/ADT/Twine.h"

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

/// Calls the visitor for each call in a declaration, in their order, the inner ones after the outer ones.
template <class Visitor>
class CallsOf : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit CallsOf(Visitor Tell) : Tell(Tell) {}

  bool VisitExpr(clang::Expr* E) override {
    if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(E)) {
      Tell(*E);
    }
    return true;
  }

 private:
  Visitor Tell;
};

template <class Visitor>
void forEachCall(clang::Decl& In, Visitor Tell) {
  CallsOf<Visitor>(Tell).TraverseDecl(&In);
}

/// The functions of the file itself that are named so, in their order.
inline std::vector<clang::FunctionDecl*> functionsNamed(clang::ASTUnit& Unit, llvm::StringRef Name) {
  const clang::ASTContext& Context = Unit.getASTContext();
  std::vector<clang::FunctionDecl*> Found;
  for (clang::Decl* Each : Context.getTranslationUnitDecl()->decls()) {
    auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Each);
    if (Function && Context.getSourceManager().isInMainFile(Each->getLocation()) && Function->getName() == Name) {
      Found.push_back(Function);
    }
  }
  return Found;
}

/// Overloads of a function, one for each body: LibTorch's stand-in, which takes most of the time, is parsed once for all of them.
inline std::string overloads(llvm::StringRef Name, llvm::StringRef Parameters, const std::vector<std::string>& Bodies) {
  std::string Text;
  for (const std::string& Each : Bodies) {
    const std::string Tag = (Name + "Of" + llvm::Twine(&Each - Bodies.data())).str();
    Text += ("struct " + Tag + " {};\nvoid " + Name + "(" + Tag + ", " + Parameters + ") {\n" + Each + "\n}\n").str();
  }
  return Text;
}

}  // namespace graphgen::check
