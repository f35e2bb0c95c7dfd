// SPDX-License-Identifier: Apache-2.0
//
// By names and namespaces.
#include "check/code/Classes.h"

#include "check/code/Library.h"

#include "clang/AST/DeclTemplate.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isIn(const clang::Decl& D, llvm::ArrayRef<llvm::StringLiteral> Namespaces) {
  const auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(D.getDeclContext()->getRedeclContext()->getEnclosingNamespaceContext());
  return Namespace && Namespace->getParent()->getRedeclContext()->isTranslationUnit() &&
         llvm::is_contained(Namespaces, Namespace->getName());
}

bool isTensorClass(const clang::RecordDecl& Class) {
  return (Class.getName() == "Tensor" || Class.getName() == "TensorBase") && isIn(Class, {"at"});
}

}  // namespace

bool isTensor(clang::QualType Type) {
  if (Type.isNull()) {
    return false;
  }
  const clang::RecordDecl* Class = Type.getNonReferenceType()->getAsRecordDecl();
  return Class && isTensorClass(*Class);
}

bool takesTensor(clang::QualType Type) {
  if (libraryClass(Type) != "optional") {
    return isTensor(Type);
  }
  const auto* Optional = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Type.getNonReferenceType()->getAsRecordDecl());
  return Optional && isTensor(Optional->getTemplateArgs()[0].getAsType());
}

llvm::StringRef libraryClass(clang::QualType Type) {
  if (Type.isNull()) {
    return {};
  }
  const clang::TagDecl* Class = Type.getNonReferenceType()->getAsTagDecl();
  return Class && Class->getIdentifier() && isOfLibrary(*Class) ? Class->getName() : llvm::StringRef();
}

}  // namespace graphgen::check
