// SPDX-License-Identifier: Apache-2.0
//
// CUDA's runtime has templates beside C functions of the same names.
#include "check/KnownCalls.h"

#include "check/Library.h"
#include "check/TensorCalls.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

bool KnownCall::isOneOf(llvm::ArrayRef<llvm::StringLiteral> Names) const { return llvm::is_contained(Names, llvm::StringRef(Name)); }

bool isOfC(const clang::FunctionDecl& F) {
  return F.getIdentifier() && F.getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         (F.isExternC() || F.getName().starts_with("cuda") || F.getASTContext().getSourceManager().isInSystemHeader(F.getLocation()));
}

KnownCall knownCall(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !Function->getIdentifier() || (!isOfLibrary(*Function) && !isOfC(*Function))) {
    return {};
  }
  return {Call, Function, scan::qualifiedName(*Function), nameOf(*Call)};
}

}  // namespace graphgen::check
