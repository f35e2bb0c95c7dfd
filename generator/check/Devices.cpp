// SPDX-License-Identifier: Apache-2.0
//
// Goes down the parts that have a device.
#include "check/Devices.h"

#include "check/Library.h"
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

bool isHostsName(llvm::StringRef Text) { return Text == "cpu" || Text.starts_with("cpu:"); }

/// What a constant was made of.
const clang::Expr* initializerOf(const clang::VarDecl& Variable) {
  return Variable.getType().isConstQualified() || Variable.isConstexpr() ? Variable.getAnyInitializer() : nullptr;
}

constexpr unsigned MostDepth = 32;

/// Of an enumeration of devices' types: whether E is a constant of the value CPU.
bool isHostType(const clang::Expr& E, const clang::EnumDecl& Types) {
  clang::Expr::EvalResult Value;
  if (E.isValueDependent() || E.containsErrors() || !E.EvaluateAsInt(Value, Types.getASTContext())) {
    return false;
  }
  const auto Host = llvm::find_if(Types.enumerators(), [](const clang::EnumConstantDecl* Each) { return Each->getName() == "CPU"; });
  return Host != Types.enumerator_end() && llvm::APSInt::isSameValue(Host->getInitVal(), Value.Val.getInt());
}

bool saysHost(const clang::Expr& Given, unsigned Depth) {
  const clang::Expr& E = *Given.IgnoreParens()->IgnoreImplicit();
  if (Depth == MostDepth) {
    return false;
  }
  if (const auto* Text = llvm::dyn_cast<clang::StringLiteral>(&E)) {
    return Text->isOrdinary() && isHostsName(Text->getString());
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E)) {
    return saysHost(*Member->getBase(), Depth + 1);
  }
  if (!isOfDevice(E.getType()) && !llvm::isa<clang::CXXConstructExpr>(E)) {
    return false;
  }
  if (const auto* Types = E.getType()->getAsEnumDecl()) {
    return isHostType(E, *Types);
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    const clang::Expr* Initializer = Variable ? initializerOf(*Variable) : nullptr;
    return Initializer && saysHost(*Initializer, Depth + 1);
  }
  if (const auto* Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&E)) {
    return saysHost(*Choice->getTrueExpr(), Depth + 1) && saysHost(*Choice->getFalseExpr(), Depth + 1);
  }
  return llvm::any_of(E.children(), [&](const clang::Stmt* Each) {
    const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
    return Part && saysHost(*Part, Depth + 1);
  });
}

}  // namespace

bool namesHost(const clang::Expr& E) { return saysHost(E, 0); }

bool makesHostTensor(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !isTensor(E.getType()) || !isOfLibrary(*Function)) {
    return false;
  }
  return tensorCall(E, {"cpu"}) || llvm::any_of(Call->arguments(), [](const clang::Expr* Each) { return namesHost(*Each); });
}

}  // namespace graphgen::check
