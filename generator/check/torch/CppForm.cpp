// SPDX-License-Identifier: Apache-2.0
//
// As torchgen spells operators in C++: `add_out(out, ...)` and `add_outf(..., out)` are add.out, `view_symint` is view.
#include "check/torch/CppForm.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/OperatorKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <numeric>

namespace graphgen::check {
namespace {

using Kind = Operator::Kind;

Kind listOf(Kind Element) {
  switch (Element) {
    case Kind::Tensor:
      return Kind::TensorList;
    case Kind::OptionalTensor:
      return Kind::OptionalTensorList;
    case Kind::Integer:
      return Kind::IntegerList;
    default:
      return Kind::Other;
  }
}

Kind kindOf(clang::QualType Type);

/// Of a class template's instance; nothing where it is not a list and no optional.
std::optional<Kind> kindOfInstance(const clang::ClassTemplateSpecializationDecl& Class) {
  const llvm::ArrayRef<clang::TemplateArgument> Arguments = Class.getTemplateArgs().asArray();
  if (Arguments.empty() || Arguments[0].getKind() != clang::TemplateArgument::Type) {
    return std::nullopt;
  }
  const llvm::StringRef Name = Class.getName();
  if (Name == "basic_string" || Name == "basic_string_view") {
    return Kind::String;
  }
  const Kind Inner = kindOf(Arguments[0].getAsType());
  if (Name == "optional") {
    return Inner == Kind::Tensor ? Kind::OptionalTensor : Inner;
  }
  const bool IsList =
      llvm::is_contained({"ArrayRef", "OptionalArrayRef", "vector", "initializer_list", "List", "IListRef", "SmallVector"}, Name);
  return IsList ? std::optional(listOf(Inner)) : std::nullopt;
}

Kind kindOf(clang::QualType Type) {
  Type = Type.getNonReferenceType().getCanonicalType();
  if (Type->isBooleanType()) {
    return Kind::Bool;
  }
  if (Type->isPointerType()) {
    return Type->getPointeeType()->isCharType() ? Kind::String : Kind::Other;
  }
  const clang::TagDecl* Tag = Type->getAsTagDecl();
  if (!Tag || !Tag->getIdentifier()) {
    return Type->isIntegerType() ? Kind::Integer : Type->isFloatingType() ? Kind::Float : Kind::Other;
  }
  const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Tag);
  if (const auto OfInstance = Instance ? kindOfInstance(*Instance) : std::nullopt) {
    return *OfInstance;
  }
  return llvm::StringSwitch<Kind>(Tag->getName())
      .Cases({"Tensor", "TensorBase"}, Kind::Tensor)
      .Case("OptionalTensorRef", Kind::OptionalTensor)
      .Case("SymInt", Kind::Integer)
      .Case("Scalar", Kind::Scalar)
      .Cases({"ScalarType", "TypeMeta"}, Kind::DType)
      .Cases({"Device", "DeviceType"}, Kind::Device)
      .Case("Layout", Kind::Layout)
      .Case("MemoryFormat", Kind::MemoryFormat)
      .Case("Generator", Kind::Generator)
      .Default(Kind::Other);
}

bool isOptions(clang::QualType Type) {
  const clang::TagDecl* Tag = Type.getNonReferenceType()->getAsTagDecl();
  return Tag && Tag->getIdentifier() && Tag->getName() == "TensorOptions";
}

/// `torch::fft::fft` is fft_fft. Nothing where the namespace or class has no operators.
std::optional<llvm::StringRef> prefixOf(const clang::FunctionDecl& Function) {
  const auto* Around = llvm::dyn_cast<clang::NamedDecl>(Function.getDeclContext()->getNonTransparentContext());
  return llvm::StringSwitch<std::optional<llvm::StringRef>>(Around ? Around->getQualifiedNameAsString() : "")
      .Cases({"at", "torch", "at::symint", "at::Tensor", "at::TensorBase"}, llvm::StringRef())
      .Case("torch::special", llvm::StringRef("special_"))
      .Case("torch::fft", llvm::StringRef("fft_"))
      .Case("torch::linalg", llvm::StringRef("linalg_"))
      .Default(std::nullopt);
}

/// A value that nothing names is written into: `x[0] = y` is copy_ or fill_.
llvm::StringRef assignedBy(const clang::FunctionDecl& Function) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  const bool Writes = Method && Method->getRefQualifier() == clang::RQ_RValue;
  return !Writes ? "" : kindOf(Function.getParamDecl(0)->getType()) == Kind::Scalar ? "fill_" : "copy_";
}

llvm::StringRef nameOfSymbol(const clang::FunctionDecl& Function, size_t Operands, bool IsReversed) {
  if (Function.getOverloadedOperator() == clang::OO_Equal) {
    return assignedBy(Function);
  }
  return llvm::StringSwitch<llvm::StringRef>(clang::getOperatorSpelling(Function.getOverloadedOperator()))
      .Case("+", "add")
      .Case("-", Operands == 1 ? "neg"
                 : IsReversed  ? "rsub"
                               : "sub")
      .Case("*", "mul")
      .Case("/", "div")
      .Case("%", "remainder")
      .Case("&", "bitwise_and")
      .Case("|", "bitwise_or")
      .Case("^", "bitwise_xor")
      .Case("~", "bitwise_not")
      .Case("<", IsReversed ? "gt" : "lt")
      .Case("<=", IsReversed ? "ge" : "le")
      .Case(">", IsReversed ? "lt" : "gt")
      .Case(">=", IsReversed ? "le" : "ge")
      .Case("==", "eq")
      .Case("!=", "ne")
      .Case("+=", "add_")
      .Case("-=", "sub_")
      .Case("*=", "mul_")
      .Case("/=", "div_")
      .Case("&=", "bitwise_and_")
      .Case("|=", "bitwise_or_")
      .Case("^=", "bitwise_xor_")
      .Case("[]", "select")
      .Default("");
}

/// "zeros_symint_outf": as it stands, and without what torchgen adds.
llvm::SmallVector<std::string, 4> namesIn(llvm::StringRef Spelled, llvm::StringRef Prefix) {
  Spelled.consume_front("__dispatch_");
  llvm::SmallVector<std::string, 4> Names = {(Prefix + Spelled).str()};
  for (const llvm::StringRef Added : {"_outf", "_out", "_symint"}) {
    if (Spelled.consume_back(Added)) {
      Names.push_back((Prefix + Spelled).str());
    }
  }
  return Names;
}

/// The number of results that `add_out(out, ...)` takes first.
size_t countResults(const clang::FunctionDecl& Function) {
  if (!Function.getIdentifier() || !Function.getName().ends_with("_out")) {
    return 0;
  }
  const auto* End = llvm::find_if_not(Function.parameters(), [](const clang::ParmVarDecl* Each) {
    return Each->getType()->isLValueReferenceType() && !Each->getType()->getPointeeType().isConstQualified();
  });
  return End - Function.param_begin();
}

}  // namespace

CppForm cppFormOf(const clang::FunctionDecl& Function) {
  CppForm Form;
  const std::optional<llvm::StringRef> Prefix = prefixOf(Function);
  if (!Prefix || Function.getReturnType()->isPointerType() || llvm::isa<clang::CXXConstructorDecl, clang::CXXConversionDecl>(Function)) {
    return Form;
  }
  if (Function.isCXXInstanceMember()) {
    Form.Parameters.push_back({"self", Kind::Tensor});
  }
  for (const clang::ParmVarDecl* Each : Function.parameters()) {
    Form.Parameters.push_back({Each->getName(), kindOf(Each->getType()), isOptions(Each->getType())});
  }
  Form.Order.resize(Form.Parameters.size());
  std::iota(Form.Order.begin(), Form.Order.end(), 0);
  size_t Last = countResults(Function);
  if (Function.isOverloadedOperator()) {
    const bool IsReversed = Form.Parameters.size() == 2 && Form.Parameters[0].Type == Kind::Scalar;
    const llvm::StringRef Name = nameOfSymbol(Function, Form.Parameters.size(), IsReversed);
    Form.Names = Name.empty() ? llvm::SmallVector<std::string, 4>() : llvm::SmallVector<std::string, 4>{Name.str()};
    Last = IsReversed ? 1 : 0;
  } else if (Function.getIdentifier()) {
    Form.Names = namesIn(Function.getName(), *Prefix);
  }
  std::rotate(Form.Order.begin(), Form.Order.begin() + Last, Form.Order.end());
  return Form;
}

}  // namespace graphgen::check
