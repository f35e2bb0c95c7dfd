// SPDX-License-Identifier: Apache-2.0
//
// From each condition back to the reads that it is computed from, through local variables.
#include "check/HostBranchCheck.h"

#include "check/HostValues.h"
#include "check/code/Constants.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {
namespace {

const clang::Expr* conditionOf(const clang::Stmt& S) {
  if (const auto* If = llvm::dyn_cast<clang::IfStmt>(&S)) {
    return If->getCond();
  }
  if (const auto* For = llvm::dyn_cast<clang::ForStmt>(&S)) {
    return For->getCond();
  }
  if (const auto* While = llvm::dyn_cast<clang::WhileStmt>(&S)) {
    return While->getCond();
  }
  if (const auto* Do = llvm::dyn_cast<clang::DoStmt>(&S)) {
    return Do->getCond();
  }
  if (const auto* Switch = llvm::dyn_cast<clang::SwitchStmt>(&S)) {
    return Switch->getCond();
  }
  if (const auto* Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&S)) {
    return Choice->getCond();
  }
  const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&S);
  return Binary && Binary->isLogicalOp() ? Binary->getLHS() : nullptr;
}

bool holdsNumber(const clang::Expr& E) {
  return E.getType()->isArithmeticType() || E.getType()->isEnumeralType() || libraryClass(E.getType()) == "Scalar";
}

constexpr unsigned MostVariables = 8;  // one behind the other

/// Of what is executed, those that a condition is computed from.
class Reads {
 public:
  Reads(const clang::ASTContext& Context, llvm::function_ref<void(const TensorCall&)> Tell) : Context(Context), Tell(Tell) {}

  void visit(const clang::Expr& E, unsigned Variables = 0) {
    if (const TensorCall Read = hostRead(E)) {
      return Tell(Read);
    }
    if (llvm::isa<clang::DeclRefExpr>(E)) {
      const clang::Expr& Origin = originOf(E);
      if (&Origin != &E && holdsNumber(E) && Variables < MostVariables) {
        visit(Origin, Variables + 1);
      }
      return;
    }
    const clang::Expr* Excluded = excludedOperand(E, Context);
    for (const clang::Stmt* Each : E.children()) {
      const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
      if (Part && Part != Excluded && !llvm::isa<clang::LambdaExpr, clang::UnaryExprOrTypeTraitExpr>(Part)) {
        visit(*Part, Variables);
      }
    }
  }

 private:
  const clang::ASTContext& Context;
  llvm::function_ref<void(const TensorCall&)> Tell;
};

}  // namespace

void HostBranchCheck::check(const clang::Stmt& S, const Place& At) const {
  const clang::Expr* Condition = conditionOf(S);
  if (!Condition) {
    return;
  }
  const auto Judge = [&](const TensorCall& Read) {
    if (readsOnlyHost(Read, At)) {
      return;
    }
    report(At, Read.Where, Read.Call->getSourceRange(),
           "a branch on a tensor's value, which '" + Read.Name + "' reads on the host: a graph has one path",
           {{Condition->getBeginLoc(), "the branch is here"}});
  };
  Reads(At.In.Function->getASTContext(), Judge).visit(*Condition);
}

}  // namespace graphgen::check
