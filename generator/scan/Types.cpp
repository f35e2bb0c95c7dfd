// SPDX-License-Identifier: Apache-2.0
//
// Recognises the types of parameters and results by the qualified names of their classes.
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::scan {

using annotation::ParameterType;
using annotation::ResultType;

clang::PrintingPolicy namePolicy(const clang::ASTContext& Context) {
  clang::PrintingPolicy Policy(Context.getPrintingPolicy());
  Policy.SuppressUnwrittenScope = true;
  Policy.SuppressInlineNamespace = llvm::to_underlying(clang::PrintingPolicy::SuppressInlineNamespaceMode::All);
  return Policy;
}

std::string qualifiedName(const clang::NamedDecl& D) {
  std::string Name;
  llvm::raw_string_ostream Stream(Name);
  D.printQualifiedName(Stream, namePolicy(D.getASTContext()));
  return Name;
}

namespace {

std::string className(clang::QualType T) {
  const clang::CXXRecordDecl* Class = T->getAsCXXRecordDecl();
  return Class ? qualifiedName(*Class) : std::string();
}

llvm::ArrayRef<clang::TemplateArgument> templateArguments(clang::QualType T) {
  const auto* Class = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
  return Class ? Class->getTemplateArgs().asArray() : llvm::ArrayRef<clang::TemplateArgument>();
}

bool isTensor(clang::QualType T) { return !T.hasQualifiers() && className(T) == "at::Tensor"; }

bool isTensor(const clang::TemplateArgument& Argument) {
  return Argument.getKind() == clang::TemplateArgument::Type && isTensor(Argument.getAsType().getCanonicalType());
}

bool beginsWithTensor(clang::QualType T) {
  const llvm::ArrayRef<clang::TemplateArgument> Arguments = templateArguments(T);
  return !Arguments.empty() && isTensor(Arguments.front());
}

bool isTupleOfTensors(clang::QualType T) {
  const llvm::ArrayRef<clang::TemplateArgument> Arguments = templateArguments(T);
  return Arguments.size() == 1 && Arguments.front().getKind() == clang::TemplateArgument::Pack &&
         llvm::all_of(Arguments.front().pack_elements(), [](const clang::TemplateArgument& A) { return isTensor(A); });
}

ParameterType classType(clang::QualType T) {
  const std::string Name = className(T);
  if (Name == "at::Tensor") {
    return ParameterType::Tensor;
  }
  if (Name == "std::optional" && beginsWithTensor(T)) {
    return ParameterType::OptionalTensor;
  }
  if (Name == "std::vector" && beginsWithTensor(T)) {
    return ParameterType::TensorVector;
  }
  if (Name == "c10::ArrayRef" && beginsWithTensor(T)) {
    return ParameterType::TensorList;
  }
  if (Name == "graphed::Scalar") {
    return ParameterType::LiveScalar;
  }
  const bool IsString = Name == "std::basic_string" || Name == "std::basic_string_view";
  if (IsString && templateArguments(T).front().getAsType()->isSpecificBuiltinType(clang::BuiltinType::Char_S)) {
    return ParameterType::String;
  }
  return ParameterType::Unsupported;
}

ParameterType valueType(clang::QualType T) {
  if (T->isBooleanType()) {
    return ParameterType::Bool;
  }
  if (T->isEnumeralType()) {
    return ParameterType::Enum;
  }
  const auto* Builtin = T->getAs<clang::BuiltinType>();
  if (!Builtin) {
    return classType(T);
  }
  const clang::BuiltinType::Kind Kind = Builtin->getKind();
  if (Kind == clang::BuiltinType::Float || Kind == clang::BuiltinType::Double) {
    return ParameterType::FloatingPoint;
  }
  if (Builtin->isInteger() && Kind != clang::BuiltinType::Int128 && Kind != clang::BuiltinType::UInt128) {
    return ParameterType::Integer;
  }
  return ParameterType::Unsupported;
}

}  // namespace

ParameterType parameterType(clang::QualType Declared) {
  clang::QualType T = Declared.getCanonicalType();
  if (T->isRValueReferenceType()) {
    return ParameterType::Unsupported;
  }
  const bool IsReference = T->isLValueReferenceType();
  T = T.getNonReferenceType();
  if (T.isVolatileQualified()) {
    return ParameterType::Unsupported;
  }
  if (IsReference && !T.isConstQualified()) {
    return isTensor(T) ? ParameterType::TensorLvalue : ParameterType::Unsupported;
  }
  return valueType(T.getUnqualifiedType());
}

std::optional<ResultType> resultType(clang::QualType Declared) {
  const clang::QualType T = Declared.getCanonicalType();
  if (T->isVoidType() && !T.hasQualifiers()) {
    return ResultType::Void;
  }
  if (T.hasQualifiers() || !T->isRecordType()) {
    return std::nullopt;
  }
  const std::string Name = className(T);
  if (Name == "at::Tensor") {
    return ResultType::Tensor;
  }
  if (Name == "std::vector" && beginsWithTensor(T)) {
    return ResultType::TensorVector;
  }
  if (Name == "std::array" && beginsWithTensor(T)) {
    return ResultType::TensorArray;
  }
  if (Name == "std::pair" && llvm::all_of(templateArguments(T), [](const clang::TemplateArgument& A) { return isTensor(A); })) {
    return ResultType::TensorPair;
  }
  if (Name == "std::tuple" && isTupleOfTensors(T)) {
    return ResultType::TensorTuple;
  }
  return std::nullopt;
}

}  // namespace graphgen::scan
