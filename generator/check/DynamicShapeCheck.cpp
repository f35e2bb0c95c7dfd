// SPDX-License-Identifier: Apache-2.0
//
// By a table of LibTorch's schema; an index by what a comparison gave.
#include "check/DynamicShapeCheck.h"

#include "check/Library.h"
#include "check/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

struct Row {
  llvm::StringLiteral Name;
  llvm::StringLiteral Parameters;
  llvm::StringLiteral Unless;
};

constexpr Row Table[] = {
#include "check/DynamicShapes.inc"
};

llvm::ArrayRef<llvm::StringLiteral> names() {
  static const std::vector<llvm::StringLiteral> All = [] {
    std::vector<llvm::StringLiteral> Result = {"index"};
    for (const Row& Each : Table) {
      Result.push_back(Each.Name);
    }
    return Result;
  }();
  return All;
}

/// As the table spells them.
std::string parametersOf(const TensorCall& Given) {
  std::string Letters = Given.IsMethod ? "T" : "";
  for (const clang::ParmVarDecl* Each : Given.Function->parameters()) {
    Letters += takesTensor(Each->getType()) ? 'T' : '-';
  }
  return Letters;
}

bool isGiven(const TensorCall& Call, llvm::StringRef Parameter) {
  for (const auto& [Declared, Argument] : llvm::zip(Call.Function->parameters(), Call.Call->arguments())) {
    if (Declared->getName() == Parameter) {
      return !llvm::isa<clang::CXXDefaultArgExpr>(Argument);
    }
  }
  return false;
}

bool isInTable(const TensorCall& Call) {
  const std::string Parameters = parametersOf(Call);
  return llvm::any_of(Table, [&](const Row& Each) {
    return Each.Name == Call.Name && Each.Parameters == Parameters && (Each.Unless.empty() || !isGiven(Call, Each.Unless));
  });
}

bool isNamed(const clang::Expr& E, llvm::StringRef Name) {
  const auto* Reference = llvm::dyn_cast<clang::DeclRefExpr>(E.IgnoreParenImpCasts());
  return Reference && Reference->getDecl()->getIdentifier() && Reference->getDecl()->getName() == Name;
}

/// The tensor that E shows, or copies, in another shape; null where it does not.
const clang::Expr* reshaped(const clang::Expr& E) {
  const TensorCall View = tensorCall(E, {"squeeze", "unsqueeze", "view", "reshape", "flatten", "expand", "expand_as", "t", "transpose",
                                         "permute", "select", "slice", "narrow", "contiguous", "clone", "detach"});
  if (!View || !View.IsMethod) {
    return View && View.Call->getNumArgs() != 0 ? View.Call->getArg(0) : nullptr;
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(View.Call);
  return Method ? Method->getImplicitObjectArgument() : nullptr;
}

/// What gives a tensor of bool.
bool isMask(const clang::Expr& Given) {
  const clang::Expr& E = originOf(Given);
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E);
  if (Operator && isTensor(E.getType())) {
    const bool IsBitwise = llvm::is_contained({clang::OO_Amp, clang::OO_Pipe, clang::OO_Caret, clang::OO_Tilde}, Operator->getOperator());
    return Operator->isComparisonOp() || Operator->getOperator() == clang::OO_Exclaim || (IsBitwise && isMask(*Operator->getArg(0)));
  }
  if (const clang::Expr* Whole = reshaped(E)) {
    return isMask(*Whole);
  }
  if (const TensorCall Conversion = tensorCall(E, {"to"})) {
    return llvm::any_of(Conversion.Call->arguments(), [](const clang::Expr* Each) { return isNamed(*Each, "kBool"); });
  }
  return bool(tensorCall(E, {"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "isclose", "isin", "logical_not",
                             "logical_and", "logical_or", "logical_xor", "signbit"}));
}

/// Whether a tensor among the indices, in lists and conversions, is a mask.
bool holdsMask(const clang::Expr& Indices) {
  if (isTensor(Indices.getType())) {
    return isMask(Indices);
  }
  return llvm::any_of(Indices.children(), [](const clang::Stmt* Each) {
    const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
    return Part && holdsMask(*Part);
  });
}

}  // namespace

void DynamicShapeCheck::check(const clang::Stmt& S, const Place& At) const {
  const TensorCall Call = tensorCall(S, names());
  if (!Call) {
    return;
  }
  const bool IsIndex = Call.Name == "index";
  if (IsIndex ? llvm::any_of(Call.Call->arguments(), [](const clang::Expr* Each) { return holdsMask(*Each); }) : isInTable(Call)) {
    report(At, Call.Where, Call.Call->getSourceRange(),
           IsIndex ? "an index by a mask has a shape that depends on the mask's values, which a graph cannot follow"
                   : "the shape that '" + Call.Name + "' gives depends on a tensor's values, which a graph cannot follow");
  }
}

}  // namespace graphgen::check
