// SPDX-License-Identifier: Apache-2.0
//
// CUDA's runtime has templates beside C functions of the same names.
#include "check/code/KnownCalls.h"

#include "check/code/Callee.h"
#include "check/code/Library.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

llvm::StringRef nameOfClass(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  return Method && Method->getParent()->getIdentifier() ? Method->getParent()->getName() : llvm::StringRef();
}

KnownCall knownConstruction(const clang::CXXConstructExpr& Construction) {
  const clang::CXXConstructorDecl& Constructor = *Construction.getConstructor();
  if (!isOfLibrary(Constructor) || Constructor.isCopyOrMoveConstructor()) {
    return {};
  }
  const llvm::StringRef Class = nameOfClass(Constructor);
  return {&Constructor, Class, Class, Construction.getExprLoc(), llvm::ArrayRef(Construction.getArgs(), Construction.getNumArgs())};
}

}  // namespace

bool KnownCall::isOneOf(llvm::ArrayRef<llvm::StringLiteral> Names) const {
  const auto MayBe = [&](llvm::StringRef Each) { return Each.ends_with(Name); };
  return llvm::any_of(Names, MayBe) && llvm::is_contained(Names, llvm::StringRef(scan::qualifiedName(*Function)));
}

bool KnownCall::isOfNamespace() const { return Class.empty() && !isOfC(*Function); }

bool isOfC(const clang::FunctionDecl& F) {
  return F.getIdentifier() && F.getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         (F.isExternC() || F.getName().starts_with("cuda") || F.getASTContext().getSourceManager().isInSystemHeader(F.getLocation()));
}

llvm::StringRef withoutOut(llvm::StringRef Name) {
  return Name.ends_with("_outf") ? Name.drop_back(5) : Name.ends_with("_out") ? Name.drop_back(4) : Name;
}

KnownCall knownCall(const clang::Stmt& S) {
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&S)) {
    return knownConstruction(*Construction);
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !Function->getIdentifier() || (!isOfLibrary(*Function) && !isOfC(*Function))) {
    return {};
  }
  return {Function, nameOfClass(*Function), Function->getName(), nameOf(*Call), llvm::ArrayRef(Call->getArgs(), Call->getNumArgs())};
}

}  // namespace graphgen::check
