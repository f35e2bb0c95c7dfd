// SPDX-License-Identifier: Apache-2.0
//
// Goes down the parts that have a device.
#include "check/Devices.h"

#include "check/Library.h"
#include "check/Spelled.h"
#include "check/TensorCalls.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

bool isOfDevice(clang::QualType Type) {
  return llvm::StringSwitch<bool>(libraryClass(Type)).Cases({"DeviceType", "Device", "TensorOptions", "optional"}, true).Default(false);
}

struct DeviceKind {
  llvm::StringLiteral Constant;  // of the enumeration of devices' types
  llvm::StringLiteral Text;      // before the index
};

constexpr DeviceKind Host = {"CPU", "cpu"};
constexpr DeviceKind Cuda = {"CUDA", "cuda"};

bool isNameOf(const DeviceKind& Kind, llvm::StringRef Text) {
  return Text.consume_front(Kind.Text) && (Text.empty() || Text.starts_with(":"));
}

/// What a constant was made of.
const clang::Expr* initializerOf(const clang::VarDecl& Variable) {
  return Variable.getType().isConstQualified() || Variable.isConstexpr() ? Variable.getAnyInitializer() : nullptr;
}

constexpr unsigned MostDepth = 32;

/// Of an enumeration of devices' types: whether E is a constant of the kind's value.
bool isTypeOf(const DeviceKind& Kind, const clang::Expr& E, const clang::EnumDecl& Types) {
  clang::Expr::EvalResult Value;
  if (E.isValueDependent() || E.containsErrors() || !E.EvaluateAsInt(Value, Types.getASTContext())) {
    return false;
  }
  const auto Same =
      llvm::find_if(Types.enumerators(), [&](const clang::EnumConstantDecl* Each) { return Each->getName() == Kind.Constant; });
  return Same != Types.enumerator_end() && llvm::APSInt::isSameValue(Same->getInitVal(), Value.Val.getInt());
}

bool says(const DeviceKind& Kind, const clang::Expr& Given, unsigned Depth) {
  const clang::Expr& E = spelled(Given);
  if (Depth == MostDepth) {
    return false;
  }
  if (const auto* Text = llvm::dyn_cast<clang::StringLiteral>(&E)) {
    return Text->isOrdinary() && isNameOf(Kind, Text->getString());
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E)) {
    return says(Kind, *Member->getBase(), Depth + 1);
  }
  if (!isOfDevice(E.getType()) && !llvm::isa<clang::CXXConstructExpr>(E)) {
    return false;
  }
  if (const auto* Types = E.getType()->getAsEnumDecl()) {
    return isTypeOf(Kind, E, *Types);
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    const clang::Expr* Initializer = Variable ? initializerOf(*Variable) : nullptr;
    return Initializer && says(Kind, *Initializer, Depth + 1);
  }
  if (const auto* Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&E)) {
    return says(Kind, *Choice->getTrueExpr(), Depth + 1) && says(Kind, *Choice->getFalseExpr(), Depth + 1);
  }
  return llvm::any_of(E.children(), [&](const clang::Stmt* Each) {
    const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
    return Part && says(Kind, *Part, Depth + 1);
  });
}

bool mentionsPinned(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  return (Function && Function->getIdentifier() && Function->getName() == "pinned_memory") ||
         llvm::any_of(E.children(), [](const clang::Stmt* Each) {
           const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
           return Part && mentionsPinned(*Part);
         });
}

}  // namespace

bool namesHost(const clang::Expr& E) { return says(Host, E, 0); }

bool namesCuda(const clang::Expr& E) { return says(Cuda, E, 0); }

bool mayNameDevice(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  if (llvm::isa<clang::CXXDefaultArgExpr>(E)) {
    return false;
  }
  const llvm::StringRef Class = libraryClass(E.getType());
  if (Class == "Device" || Class == "DeviceType") {
    return true;
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  const bool IsOfOptions = Class == "TensorOptions" && (llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(E) ||
                                                        (Function && Function->getIdentifier() && Function->getName() == "options"));
  return IsOfOptions || llvm::any_of(E.children(), [](const clang::Stmt* Each) {
           const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
           return Part && mayNameDevice(*Part);
         });
}

bool makesTensorWithoutDevice(const clang::Expr& E) {
  const TensorCall Call = tensorCall(E, {"zeros", "ones", "full", "empty", "eye", "arange", "range", "linspace", "logspace", "rand",
                                         "randn", "randint", "randperm", "tensor", "from_blob"});
  return Call && !Call.IsMethod &&
         llvm::none_of(Call.Call->arguments(), [](const clang::Expr* Each) { return mayNameDevice(*Each) || mentionsPinned(*Each); });
}

bool makesHostTensor(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !isTensor(E.getType()) || !isOfLibrary(*Function)) {
    return false;
  }
  return tensorCall(E, {"cpu"}) || llvm::any_of(Call->arguments(), [](const clang::Expr* Each) { return namesHost(*Each); });
}

bool staysOnDevice(const clang::CallExpr& Call, llvm::function_ref<bool(const clang::Expr&)> IsOnDevice) {
  const auto MayLeave = [](const clang::Expr* Each) { return !isTensor(Each->getType()) && mayNameDevice(*Each) && !namesCuda(*Each); };
  if (tensorCall(Call, {"cpu", "pin_memory"}) || llvm::any_of(Call.arguments(), MayLeave)) {
    return false;
  }
  const auto IsOn = [&](const clang::Expr* Each) { return Each && isTensor(Each->getType()) && IsOnDevice(*Each); };
  return IsOn(tensorOf(Call)) || llvm::any_of(Call.arguments(), IsOn);
}

}  // namespace graphgen::check
