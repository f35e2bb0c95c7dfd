// SPDX-License-Identifier: Apache-2.0
//
// By declarations' namespaces.
#include "check/LibraryCalls.h"

#include "check/Library.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

llvm::StringRef nameOf(const clang::NamedDecl& D) { return D.getIdentifier() ? D.getName() : llvm::StringRef(); }

clang::SourceLocation placeOf(const clang::CallExpr& Call) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Call.getCallee()->IgnoreParenImpCasts());
  return Name ? Name->getLocation() : Call.getExprLoc();
}

}  // namespace

LibraryCall libraryCall(const clang::Stmt& S) {
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S)) {
    const clang::FunctionDecl* Function = Call->getDirectCallee();
    if (!Function || !isOfLibrary(*Function)) {
      return {};
    }
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Function);
    const llvm::StringRef Class = Method ? nameOf(*Method->getParent()) : llvm::StringRef();
    return {Function, Class, nameOf(*Function), placeOf(*Call), llvm::ArrayRef(Call->getArgs(), Call->getNumArgs())};
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&S);
  const clang::CXXConstructorDecl* Constructor = Construction ? Construction->getConstructor() : nullptr;
  if (!Constructor || !isOfLibrary(*Constructor) || Constructor->isCopyOrMoveConstructor()) {
    return {};
  }
  const llvm::StringRef Class = nameOf(*Constructor->getParent());
  return {Constructor, Class, Class, Construction->getExprLoc(), llvm::ArrayRef(Construction->getArgs(), Construction->getNumArgs())};
}

}  // namespace graphgen::check
