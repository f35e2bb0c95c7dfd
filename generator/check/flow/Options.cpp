// SPDX-License-Identifier: Apache-2.0
//
// What says where a tensor is made, and of which dtype: at::TensorOptions, at::Device, c10::ScalarType and their constants.
#include "check/code/Classes.h"
#include "check/code/Library.h"
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check::flow {
namespace {

using annotation::DType;

std::optional<DType> dtypeNamed(llvm::StringRef Enumerator) {
  return llvm::StringSwitch<std::optional<DType>>(Enumerator)
      .Case("Double", DType::F64)
      .Case("Float", DType::F32)
      .Case("Half", DType::F16)
      .Case("BFloat16", DType::BF16)
      .Case("ComplexFloat", DType::C64)
      .Case("ComplexDouble", DType::C128)
      .Case("Long", DType::I64)
      .Case("Int", DType::I32)
      .Case("Short", DType::I16)
      .Case("Char", DType::I8)
      .Case("Byte", DType::U8)
      .Case("Bool", DType::Bool)
      .Default(std::nullopt);
}

const clang::EnumDecl* enumOf(clang::QualType Type, llvm::StringRef Name) {
  const auto* Its = llvm::dyn_cast_if_present<clang::EnumDecl>(Type.getNonReferenceType()->getAsTagDecl());
  return Its && Its->getName() == Name && isOfLibrary(*Its) ? Its : nullptr;
}

llvm::StringRef enumeratorOf(const clang::EnumDecl& Types, int64_t Number) {
  for (const clang::EnumConstantDecl* Each : Types.enumerators()) {
    if (Each->getInitVal().getExtValue() == Number) {
      return Each->getName();
    }
  }
  return "";
}

/// "cpu", "cuda:1"
void sayText(llvm::StringRef Text, Value& Said) {
  const auto [Type, Index] = Text.split(':');
  int64_t Number = 0;
  Said.On = Type == "cpu" ? Device::Host : Type == "cuda" ? Device::Gpu : Device::Unknown;
  Said.Number = Index.getAsInteger(10, Number) ? std::nullopt : std::optional(Number);
}

bool isOfOptions(clang::QualType Type) { return llvm::is_contained({"TensorOptions", "Device", "TypeMeta"}, libraryClass(Type)); }

}  // namespace

/// Adds what an argument says to the options.
void BodyRun::say(const clang::Expr& Given, ValueRef Known, Value& Said) {
  const clang::QualType Type = kindOf(Given.getType()) == TypeKind::Optional ? flow::pointeeOf(Given.getType()) : Given.getType();
  const ValueRef Its = seen(Given, Known);
  Said.How = std::max(Said.How, Its ? Its->How : Change::EachCall);
  if (const auto* Text = llvm::dyn_cast<clang::StringLiteral>(Given.IgnoreUnlessSpelledInSource())) {
    return sayText(Text->getString(), Said);
  }
  if (const clang::EnumDecl* Types = enumOf(Type, "DeviceType")) {
    const llvm::StringRef Name = Its && Its->Number ? enumeratorOf(*Types, *Its->Number) : "";
    Said.On = Name == "CPU" ? Device::Host : Name == "CUDA" ? Device::Gpu : Device::Unknown;
  } else if (const clang::EnumDecl* Dtypes = enumOf(Type, "ScalarType")) {
    Said.Type = Its && Its->Number ? dtypeNamed(enumeratorOf(*Dtypes, *Its->Number)) : Its ? Its->Type : std::nullopt;
  } else if (Type->isIntegerType()) {
    Said.Number = Its ? Its->Number : std::nullopt;
  } else if (libraryClass(Type) == "Device") {
    Said.On = Its ? Its->On : Device::Unknown;
    Said.Number = Its ? Its->Number : std::nullopt;
  } else if (isOfOptions(Type)) {
    Said.On = Its ? Its->On : Device::Unknown;
    Said.Type = Its ? Its->Type : std::nullopt;
  } else if (kindOf(Type) == TypeKind::Tensor && Its) {
    Said.On = Its->On;
    Said.Type = Its->Type;
  }
}

ValueRef BodyRun::optionsOf(Value Said, const Called& Its) {
  for (unsigned Place = 0; Place < Its.Arguments.size(); ++Place) {
    if (!llvm::isa<clang::CXXDefaultArgExpr>(Its.Expressions[Place])) {
      say(*Its.Expressions[Place], Its.Arguments[Place], Said);
    }
  }
  return All.Known.keep(std::move(Said));
}

Value BodyRun::noOptions() {
  Value Said;
  Said.How = Change::Never;
  Said.On = Device::Unsaid;
  return Said;
}

/// Null where the class is none of theirs.
ValueRef BodyRun::optionsConstruction(const clang::CXXConstructExpr& E, const Called& Its) {
  return isOfOptions(E.getType()) ? optionsOf(noOptions(), Its) : nullptr;
}

/// Of a library's function: `x.options()`, `o.device(d)`, `torch::dtype(t)`. Null where it is none of these.
ValueRef BodyRun::optionsCall(const Called& Its) {
  const clang::FunctionDecl& Function = *Its.Function;
  const clang::QualType Type = Function.getReturnType();
  const bool IsMade = isOfOptions(Type) || enumOf(Type, "ScalarType") || enumOf(Type, "DeviceType");
  if (!IsMade || !Function.getIdentifier() || llvm::is_contained({"value_or", "exchange"}, Function.getName())) {
    return nullptr;
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  if (!Method || !Method->isInstance() || !Its.Object) {
    return llvm::is_contained({"device", "dtype", "layout", "requires_grad"}, Function.getName()) ? optionsOf(noOptions(), Its) : nullptr;
  }
  const ValueRef On = Its.Object->Targets.empty() ? Its.Object : load(Its.Object);
  const clang::QualType Class = Method->getASTContext().getCanonicalTagType(Method->getParent());
  if (!On || (!isOfOptions(Class) && kindOf(Class) != TypeKind::Tensor)) {
    return nullptr;
  }
  if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Its.At); Call && isOfOptions(Class)) {
    tellRead(*Call->getImplicitObjectArgument(), Its.Object);
  }
  Value Said = isOfOptions(Class) ? *On : *formOf(Its);
  const bool IsDtype = llvm::is_contained({"dtype", "scalar_type"}, Function.getName()) && Its.Arguments.empty();
  Said.On = IsDtype ? Device::Unsaid : On->On;
  Said.Type = On->Type;
  Said.Number = isOfOptions(Class) ? On->Number : std::nullopt;
  return optionsOf(std::move(Said), Its);
}

}  // namespace graphgen::check::flow
