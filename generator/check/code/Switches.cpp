// SPDX-License-Identifier: Apache-2.0
//
// By the values of the cases.
#include "check/code/Switches.h"

#include "check/code/Exits.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// A statement of the body without the cases that it is labelled with.
struct Labelled {
  std::vector<const clang::SwitchCase*> Cases;
  const clang::Stmt* Statement;
};

std::optional<std::vector<Labelled>> statementsOf(const clang::SwitchStmt& S) {
  const auto* Body = llvm::dyn_cast<clang::CompoundStmt>(S.getBody());
  if (!Body) {
    return std::nullopt;
  }
  std::vector<Labelled> Statements;
  for (const clang::Stmt* Each : Body->body()) {
    std::vector<const clang::SwitchCase*> Cases;
    while (const auto* Case = llvm::dyn_cast<clang::SwitchCase>(Each)) {
      Cases.push_back(Case);
      Each = Case->getSubStmt();
    }
    if (holdsLabel(*Each)) {
      return std::nullopt;
    }
    Statements.push_back({std::move(Cases), Each});
  }
  return Statements;
}

bool isFor(const clang::SwitchCase& Each, const llvm::APSInt& Value, const clang::ASTContext& Context) {
  const auto* Case = llvm::dyn_cast<clang::CaseStmt>(&Each);
  if (!Case) {
    return false;
  }
  const llvm::APSInt Low = Case->getLHS()->EvaluateKnownConstInt(Context);
  const llvm::APSInt High = Case->getRHS() ? Case->getRHS()->EvaluateKnownConstInt(Context) : Low;
  return llvm::APSInt::compareValues(Low, Value) <= 0 && llvm::APSInt::compareValues(Value, High) <= 0;
}

}  // namespace

std::optional<std::vector<const clang::Stmt*>> executedOf(const clang::SwitchStmt& S, const clang::ASTContext& Context) {
  clang::Expr::EvalResult Value;
  const clang::Expr& Condition = *S.getCond();
  if (Condition.isValueDependent() || Condition.containsErrors() || !Condition.EvaluateAsInt(Value, Context)) {
    return std::nullopt;
  }
  const std::optional<std::vector<Labelled>> Statements = statementsOf(S);
  if (!Statements) {
    return std::nullopt;
  }
  const auto Matches = [&](const Labelled& Each) {
    return llvm::any_of(Each.Cases, [&](const auto* Case) { return isFor(*Case, Value.Val.getInt(), Context); });
  };
  const auto IsDefault = [](const Labelled& Each) { return llvm::any_of(Each.Cases, llvm::IsaPred<clang::DefaultStmt>); };
  auto First = llvm::find_if(*Statements, Matches);
  First = First == Statements->end() ? llvm::find_if(*Statements, IsDefault) : First;
  std::vector<const clang::Stmt*> Executed;
  for (; First != Statements->end(); ++First) {
    Executed.push_back(First->Statement);
    if (leaves(First->Statement, Context)) {
      break;
    }
  }
  return Executed;
}

}  // namespace graphgen::check
