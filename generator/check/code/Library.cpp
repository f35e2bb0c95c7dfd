// SPDX-License-Identifier: Apache-2.0
//
// By the outermost namespace.
#include "check/code/Library.h"

#include "scan/Libraries.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isInSystemHeader(const clang::Decl& D) { return D.getASTContext().getSourceManager().isInSystemHeader(D.getLocation()); }

/// A program's own headers may be a system's to the compiler, as those of CMake's imported targets are; C's and CUDA's know no tensors.
bool takesTensor(const clang::Decl& D) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(&D);
  return Function && llvm::any_of(Function->parameters(), [](const clang::ParmVarDecl* Each) {
           const clang::RecordDecl* Class = Each->getType().getNonReferenceType()->getAsRecordDecl();
           return Class && Class->getName() == "Tensor" && scan::outermostNamespace(*Class) &&
                  scan::isLibrarys(*scan::outermostNamespace(*Class));
         });
}

}  // namespace

bool isOfLibrary(const clang::Decl& D) {
  const clang::NamespaceDecl* Namespace = scan::outermostNamespace(D);
  return Namespace ? scan::isLibrarys(*Namespace) && !scan::isInMainFile(D) : isInSystemHeader(D) && !takesTensor(D);
}

bool isOfC(const clang::FunctionDecl& Function) {
  const bool IsCuda = Function.getIdentifier() && Function.getName().starts_with("cuda");
  return Function.getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         (Function.isExternC() || IsCuda || isInSystemHeader(Function));
}

bool isOfLibraryVirtual(const clang::CXXMethodDecl& Method) {
  return isOfLibrary(Method) || llvm::any_of(Method.overridden_methods(), [](const auto* Each) { return isOfLibraryVirtual(*Each); });
}

}  // namespace graphgen::check
