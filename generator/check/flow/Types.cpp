// SPDX-License-Identifier: Apache-2.0
//
// Classes of libraries are known by their names, `std::span` as `torch::OrderedDict`. One that has no row here is a Record.
#include "check/flow/Types.h"

#include "check/code/Classes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace graphgen::check::flow {
namespace {

struct NamedKind {
  llvm::StringLiteral Class;
  TypeKind Kind;
  unsigned Argument = 0;  // of the template: what it holds, or leads to
};

constexpr NamedKind Kinds[] = {
    {"vector", TypeKind::Sequence},
    {"array", TypeKind::Sequence},
    {"deque", TypeKind::Sequence},
    {"list", TypeKind::Sequence},
    {"List", TypeKind::Sequence},
    {"set", TypeKind::Sequence},
    {"unordered_set", TypeKind::Sequence},
    {"span", TypeKind::Sequence},
    {"initializer_list", TypeKind::Sequence},
    {"ArrayRef", TypeKind::Sequence},
    {"HeaderOnlyArrayRef", TypeKind::Sequence},
    {"SmallVector", TypeKind::Sequence},
    {"SmallVectorImpl", TypeKind::Sequence},
    {"IListRef", TypeKind::Sequence},
    {"map", TypeKind::Map, 1},
    {"unordered_map", TypeKind::Map, 1},
    {"flat_hash_map", TypeKind::Map, 1},
    {"multimap", TypeKind::Map, 1},
    {"Dict", TypeKind::Map, 1},
    {"OrderedDict", TypeKind::Map, 1},
    {"tuple", TypeKind::Tuple},
    {"optional", TypeKind::Optional},
    {"unique_ptr", TypeKind::Pointer},
    {"shared_ptr", TypeKind::Pointer},
    {"weak_ptr", TypeKind::Pointer},
    {"intrusive_ptr", TypeKind::Pointer},
    {"reference_wrapper", TypeKind::Pointer},
    {"ModuleHolder", TypeKind::Pointer},
    {"MaybeOwned", TypeKind::Pointer},
    {"__normal_iterator", TypeKind::Pointer, ~0U},
    {"_Rb_tree_iterator", TypeKind::Pointer},
    {"_Rb_tree_const_iterator", TypeKind::Pointer},
    {"_Node_iterator", TypeKind::Pointer},
    {"_Node_const_iterator", TypeKind::Pointer},
    {"_List_iterator", TypeKind::Pointer},
    {"_List_const_iterator", TypeKind::Pointer},
    {"_Deque_iterator", TypeKind::Pointer},
    {"templated_iterator", TypeKind::Pointer},  // of ska's maps
    {"reference_wrapper", TypeKind::Pointer},
    {"function", TypeKind::Function},
    {"queue", TypeKind::Sequence},
    {"priority_queue", TypeKind::Sequence},
    {"stack", TypeKind::Sequence},
    {"forward_list", TypeKind::Sequence},
    {"basic_string", TypeKind::Number},
    {"atomic", TypeKind::Number},
    {"__atomic_base", TypeKind::Number},
    {"__atomic_float", TypeKind::Number},
    {"duration", TypeKind::Number},
    {"time_point", TypeKind::Number},
    {"Scalar", TypeKind::Number},
    {"Device", TypeKind::Number},
    {"ScalarType", TypeKind::Number},
    {"TensorOptions", TypeKind::Number},
    {"SymInt", TypeKind::Number},
    {"TypeMeta", TypeKind::Number},
    {"TensorIndex", TypeKind::Tensor},
    {"TensorDataContainer", TypeKind::Sequence},
    {"CUDAStream", TypeKind::Number},
    {"Stream", TypeKind::Number},
    {"Generator", TypeKind::Number},
};

const NamedKind* namedKind(clang::QualType Type) {
  const llvm::StringRef Name = libraryClass(Type);
  const auto* Found = llvm::find_if(Kinds, [&](const NamedKind& Each) { return Each.Class == Name; });
  return Found == std::end(Kinds) ? nullptr : Found;
}

clang::QualType templateArgument(clang::QualType Type, unsigned Place) {
  const auto* Instance = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Type->getAsCXXRecordDecl());
  if (!Instance || Place >= Instance->getTemplateArgs().size()) {
    return {};
  }
  const clang::TemplateArgument* Found = &Instance->getTemplateArgs()[Place];
  if (Found->getKind() == clang::TemplateArgument::Pack) {
    Found = nullptr;
  }
  return Found && Found->getKind() == clang::TemplateArgument::Type ? Found->getAsType() : clang::QualType();
}

/// What a class of the program's that is made from a holder holds: TORCH_MODULE's `Net`.
const clang::CXXRecordDecl* holderBase(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
  Class = Class ? Class->getDefinition() : nullptr;
  for (const clang::CXXBaseSpecifier& Each : Class ? Class->bases() : clang::CXXRecordDecl::base_class_const_range({}, {})) {
    if (libraryClass(Each.getType()) == "ModuleHolder") {
      return Each.getType()->getAsCXXRecordDecl();
    }
  }
  return nullptr;
}

clang::QualType tupleElement(clang::QualType Type, unsigned Index) {
  const auto* Instance = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Type->getAsCXXRecordDecl());
  const bool HasPack =
      Instance && Instance->getTemplateArgs().size() == 1 && Instance->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Pack;
  if (!HasPack || Index >= Instance->getTemplateArgs()[0].pack_size()) {
    return {};
  }
  return Instance->getTemplateArgs()[0].getPackAsArray()[Index].getAsType();
}

}  // namespace

TypeKind kindOf(clang::QualType Given) {
  if (Given.isNull()) {
    return TypeKind::Record;
  }
  const clang::QualType Type = Given.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (isTensor(Type) || takesTensor(Type)) {
    return TypeKind::Tensor;
  }
  if (Type->isFunctionType() || Type->isFunctionPointerType() || Type->isMemberPointerType()) {
    return TypeKind::Function;
  }
  if (Type->isPointerType()) {
    return TypeKind::Pointer;
  }
  if (Type->isArrayType()) {
    return TypeKind::Sequence;
  }
  if (const NamedKind* Known = namedKind(Type)) {
    return Known->Kind;
  }
  if (!Type->isRecordType()) {
    return TypeKind::Number;
  }
  return holderBase(Type) ? TypeKind::Pointer : TypeKind::Record;
}

bool isPair(clang::QualType Type) { return libraryClass(Type) == "pair"; }

clang::QualType elementOf(clang::QualType Given, unsigned Index) {
  const clang::QualType Type = Given.getNonReferenceType().getCanonicalType();
  if (const clang::ArrayType* Array = Type->getAsArrayTypeUnsafe()) {
    return Array->getElementType();
  }
  if (kindOf(Type) == TypeKind::Tuple) {
    return tupleElement(Type, Index);
  }
  const NamedKind* Known = namedKind(Type);
  return Known ? templateArgument(Type, Known->Argument) : clang::QualType();
}

clang::QualType pointeeOf(clang::QualType Given) {
  const clang::QualType Type = Given.getNonReferenceType().getCanonicalType();
  if (Type->isPointerType()) {
    return Type->getPointeeType();
  }
  if (const clang::CXXRecordDecl* Holder = holderBase(Type)) {
    return templateArgument(Holder->getASTContext().getCanonicalTagType(Holder), 0);
  }
  const NamedKind* Known = namedKind(Type);
  if (Known && Known->Argument == ~0U) {
    const clang::QualType Pointer = templateArgument(Type, 0);
    return Pointer.isNull() ? Pointer : pointeeOf(Pointer);
  }
  return Known ? templateArgument(Type, Known->Argument) : clang::QualType();
}

bool isLeaf(clang::QualType Type) {
  switch (kindOf(Type)) {
    case TypeKind::Tensor:
    case TypeKind::Number:
    case TypeKind::Pointer:
    case TypeKind::Function:
      return true;
    default:
      return false;
  }
}

bool isGradGuard(clang::QualType Type) { return llvm::is_contained({"NoGradGuard", "InferenceMode", "AutoGradMode"}, libraryClass(Type)); }

}  // namespace graphgen::check::flow
