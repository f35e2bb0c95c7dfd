// SPDX-License-Identifier: Apache-2.0
#include "check/rules/Tensors.h"

#include "annotation/Variables.h"
#include "check/code/Classes.h"
#include "check/code/Library.h"
#include "check/flow/Annotated.h"
#include "check/flow/Types.h"
#include "scan/Types.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

using annotation::DType;
using flow::ValueRef;

clang::QualType typeOf(const flow::PathNode& Of) {
  using Kind = flow::Step::Kind;
  const Kind Last = Of.parent() ? Of.last().What : Kind::None;
  if (Last == Kind::None) {
    return Of.declared() ? Of.declared()->getType() : clang::QualType();
  }
  if (Last == Kind::Field) {
    return Of.last().Member->getType();
  }
  const clang::QualType Whole = typeOf(*Of.parent());
  if (Whole.isNull() || Of.isOfReference()) {
    return Whole.isNull() ? Whole : Whole.getNonReferenceType();
  }
  return Last == Kind::Pointee ? flow::pointeeOf(Whole) : flow::elementOf(Whole, static_cast<unsigned>(Of.last().Index));
}

bool holdsTensors(clang::QualType Type) {
  using Kind = flow::TypeKind;
  const Kind Its = flow::kindOf(Type);
  if (Its == Kind::Tuple || flow::isPair(Type)) {
    return llvm::any_of(scan::templateArguments(Type->getAsCXXRecordDecl()),
                        [](const clang::TemplateArgument& Each) { return holdsTensors(Each.getAsType()); });
  }
  const bool HasElements = Its == Kind::Sequence || Its == Kind::Map;
  const clang::QualType Element = HasElements ? flow::elementOf(Type) : clang::QualType();
  return Its == Kind::Tensor || (!Element.isNull() && holdsTensors(Element));
}

std::vector<std::string> tensorsOf(clang::QualType Type) {
  std::vector<std::string> Names;
  const clang::CXXRecordDecl* Class = Type.isNull() ? nullptr : Type->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition() || isOfLibrary(*Class)) {
    return Names;
  }
  for (const clang::FieldDecl* Each : Class->getDefinition()->fields()) {
    if (holdsTensors(Each->getType())) {
      Names.push_back(Each->getNameAsString());
    }
    for (const std::string& Part : tensorsOf(Each->getType())) {
      Names.push_back(Each->getNameAsString() + "." + Part);
    }
  }
  return Names;
}

std::vector<const clang::FieldDecl*> tensorFieldsOf(const clang::FieldDecl& Member) {
  if (holdsTensors(Member.getType())) {
    return {&Member};
  }
  const clang::CXXRecordDecl* Class = Member.getType()->getAsCXXRecordDecl();
  return Class ? tensorFieldsOf(*Class) : std::vector<const clang::FieldDecl*>();
}

std::vector<const clang::FieldDecl*> tensorFieldsOf(const clang::CXXRecordDecl& Class) {
  std::vector<const clang::FieldDecl*> Found;
  if (!Class.hasDefinition() || isOfLibrary(Class)) {
    return Found;
  }
  for (const clang::CXXBaseSpecifier& Each : Class.getDefinition()->bases()) {
    if (const clang::CXXRecordDecl* Base = Each.getType()->getAsCXXRecordDecl()) {
      llvm::append_range(Found, tensorFieldsOf(*Base));
    }
  }
  for (const clang::FieldDecl* Each : Class.getDefinition()->fields()) {
    llvm::append_range(Found, tensorFieldsOf(*Each));
  }
  return Found;
}

bool holdsModule(clang::QualType Type) {
  const clang::QualType Pointee = flow::kindOf(Type) == flow::TypeKind::Pointer ? flow::pointeeOf(Type) : clang::QualType();
  const clang::CXXRecordDecl* Class = Pointee.isNull() ? nullptr : Pointee->getAsCXXRecordDecl();
  const auto IsModule = [](const clang::CXXRecordDecl* Each) { return Each->getQualifiedNameAsString() == "torch::nn::Module"; };
  return Class && Class->hasDefinition() &&
         (IsModule(Class) || !Class->forallBases([&](const clang::CXXRecordDecl* Each) { return !IsModule(Each); }));
}

bool isOfHost(ValueRef Known) { return Known && Known->On == flow::Device::Host && Known->Made; }

bool isOfDevice(ValueRef Known) { return Known && flow::isOfGpu(Known->On); }

bool isOfMask(ValueRef Known) { return Known && (Known->Type == DType::Bool || Known->Type == DType::U8); }

bool isOfIntegers(ValueRef Known) {
  return Known && Known->Type && llvm::is_contained({DType::I64, DType::I32, DType::I16, DType::I8}, *Known->Type);
}

bool hasNoDimensions(ValueRef Known) { return Known && Known->Dimensions == 0U; }

bool isTrue(ValueRef Known) { return Known && Known->Number && *Known->Number != 0; }

bool isOfKnownValues(const Occurrence& At) {
  std::vector<ValueRef> Tensors;
  if (At.Its.Object) {
    Tensors.push_back(At.Its.Object);
  }
  for (const auto& [Given, Known] : llvm::zip_equal(At.Its.Expressions, At.Its.Arguments)) {
    if (takesTensor(Given->getType()) || isTensor(Given->getType())) {
      Tensors.push_back(Known);
    }
  }
  return !Tensors.empty() &&
         llvm::all_of(Tensors, [](ValueRef Each) { return Each && Each->On == flow::Device::Host && Each->How <= flow::Change::PerKey; });
}

std::vector<std::vector<int64_t>> sizesOf(ValueRef Tensor, AnnotationsOfOne Annotations) {
  std::vector<std::vector<int64_t>> Sizes;
  const flow::Path Of = Tensor ? Tensor->target() : nullptr;
  const bool IsArgument = Of && Of->from() == flow::Root::Argument && !Tensor->Targets[0].IsView;
  for (const scan::ScannedCallable* Each : IsArgument ? Annotations : AnnotationsOfOne()) {
    const annotation::Bound* Found = flow::boundOf(*Each, Of);
    if (!Found || Found->Said->What != annotation::Spec::Kind::Tensor || Found->Said->Repeat) {
      return {};
    }
    if (llvm::any_of(Found->Said->Dims, [&](const annotation::Expr& Dim) { return annotation::isOpen(Dim, Each->Callable.Variables); })) {
      return {};
    }
    for (const annotation::Constants& Values : annotation::combinations(Each->Callable.Variables)) {
      Sizes.push_back(annotation::shapeAt(*Found->Said, Values));
    }
  }
  return Sizes;
}

std::vector<Note> noteOfMade(ValueRef Tensor) { return {{Tensor->Made->getExprLoc(), "the tensor is made here"}}; }

TensorIndexing indexingOf(const Occurrence& At) {
  TensorIndexing Result;
  const Operator* Op = At.Its.Operator ? At.Its.Operator->Called : nullptr;
  if (!Op || !llvm::is_contained({"index", "index_put", "index_put_"}, Op->Name)) {
    return Result;
  }
  Result.IsIndex = true;
  Result.IsWrite = Op->Name != "index";
  Result.IsByTensorIndex = Op->Overload.starts_with("TensorIndex");
  unsigned Integers = 0;
  for (const ValueRef Each : At.Its.Elements) {
    if (Each->mayBeTensor()) {
      Result.Tensors.push_back(Each);
    } else {
      Integers += Each->Number || Each->How != flow::Change::EachCall ? 1 : 0;
    }
  }
  if (Result.Tensors.empty() && Integers != 0 && Integers == At.Its.Elements.size()) {
    Result.Integers = Integers;
  }
  Result.Written = At.argument(Op->Overload == "TensorIndex" ? "rhs" : "values");
  return Result;
}

}  // namespace graphgen::check
