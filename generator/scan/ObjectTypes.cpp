// SPDX-License-Identifier: Apache-2.0
//
// Tensors, values and containers are what a call is given, and no objects.
#include "scan/ObjectTypes.h"

#include "scan/MemberTypes.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {

bool isRandomSource(const clang::CXXRecordDecl& Class) {
  const llvm::StringRef Name = Class.isInStdNamespace() && Class.getIdentifier() ? Class.getName() : "";
  return Name.ends_with("_engine") || Name.ends_with("_distribution") || Name == "random_device";
}

namespace {

/// Of the standard library, those that a program derives from, as streams, and engines of random numbers: a std::function or a list is a
/// value.
bool isNoObject(const clang::CXXRecordDecl& Class) {
  static constexpr llvm::StringLiteral Values[] = {"at::Tensor", "graphed::Scalar", "c10::Scalar", "c10::ArrayRef",
                                                   "c10::List",  "c10::Dict",       "c10::Device", "torch::OrderedDict"};
  const bool IsStandard = Class.isInStdNamespace() && !isRandomSource(Class) && !(Class.hasDefinition() && Class.isPolymorphic());
  return IsStandard || Class.isUnion() || Class.isLambda() || llvm::is_contained(Values, qualifiedName(Class));
}

std::optional<ReferredObject> objectOf(clang::QualType Type, bool IsNoValue) {
  const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
  if (!Class) {
    return std::nullopt;
  }
  Class = Class->hasDefinition() ? Class->getDefinition() : Class;
  if (isModule(*Class) || isModuleHolder(*Class)) {
    return ReferredObject{Class, /*IsModule=*/true, /*IsNoValue=*/true};
  }
  return isNoObject(*Class) ? std::nullopt : std::optional(ReferredObject{Class, /*IsModule=*/false, IsNoValue});
}

}  // namespace

std::optional<ReferredObject> referredObject(clang::QualType Parameter) {
  const clang::QualType T = Parameter.getCanonicalType();
  const clang::QualType Value = T.getNonReferenceType();
  const bool IsReference = T->isLValueReferenceType();
  if (T->isRValueReferenceType() || Value.isVolatileQualified()) {
    return std::nullopt;
  }
  // One to which the callable could give another object, which no call would look at.
  const bool IsRepointed = IsReference && !Value.isConstQualified();
  if (Value->isPointerType()) {
    return IsRepointed ? std::nullopt : objectOf(Value->getPointeeType(), /*IsNoValue=*/true);
  }
  const clang::CXXRecordDecl* Class = Value->getAsCXXRecordDecl();
  const std::string Name = Class ? qualifiedName(*Class) : "";
  const bool IsHandle = llvm::is_contained({"std::shared_ptr", "std::reference_wrapper"}, Name);
  if (IsHandle && IsRepointed) {
    return std::nullopt;
  }
  if (IsHandle || (IsReference && Name == "std::unique_ptr")) {
    return objectOf(templateArguments(Class).front().getAsType().getCanonicalType(), /*IsNoValue=*/true);
  }
  std::optional<ReferredObject> Found = objectOf(Value, IsReference && !Value.isConstQualified());
  const bool IsCopy = !IsReference && Found && !isModuleHolder(*Found->Class);
  return IsCopy ? std::nullopt : Found;
}

bool couldPointElsewhere(clang::QualType Parameter) {
  const clang::QualType T = Parameter.getCanonicalType();
  return T->isLValueReferenceType() && !referredObject(T) && referredObject(T.getNonReferenceType());
}

}  // namespace graphgen::scan
