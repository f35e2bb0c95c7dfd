// SPDX-License-Identifier: Apache-2.0
//
// Goes down the blocks around the place; what stands in one of them before it, and in no block of its own, comes before it.
#include "check/code/MadeAnew.h"

#include "check/code/KnownCalls.h"
#include "check/code/Paths.h"
#include "check/code/Spelled.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isOf(const clang::Expr& E, const clang::ValueDecl& D) { return pathOf(E).Named == &D; }

bool assigns(const clang::Expr& Target, const clang::Expr& Value, const clang::ValueDecl& D) {
  return isOf(Target, D) && !mentions(Value, D);
}

/// `sum = 0`, `counts.assign(n, 0)`, `std::fill(counts.begin(), counts.end(), 0)`
bool makesAnew(const clang::Stmt& S, const clang::ValueDecl& D) {
  const auto* Given = llvm::dyn_cast<clang::Expr>(&S);
  if (!Given) {
    return false;
  }
  const clang::Expr& E = spelled(*Given);
  if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&E)) {
    return Binary->getOpcode() == clang::BO_Assign && assigns(*Binary->getLHS(), *Binary->getRHS(), D);
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E)) {
    return Operator->getOperator() == clang::OO_Equal && assigns(*Operator->getArg(0), *Operator->getArg(1), D);
  }
  const KnownCall Call = knownCall(E);
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E)) {
    return Call && (Call.Name == "clear" || Call.Name == "assign" || Call.Name == "fill") && isOf(*Method->getImplicitObjectArgument(), D);
  }
  return Call && Call.isOneOf({"std::fill", "std::fill_n"}) && mentions(*Call.Arguments[0], D);
}

}  // namespace

bool isMadeAnew(const clang::ValueDecl& D, clang::SourceLocation Given, const Frame& In) {
  const clang::SourceManager& Sources = In.Function->getASTContext().getSourceManager();
  const clang::SourceLocation Where = Sources.getFileLoc(Given);
  const auto Holds = [&](const clang::Stmt* Each) {
    return Each && Sources.isPointWithin(Where, Sources.getFileLoc(Each->getBeginLoc()), Sources.getFileLoc(Each->getEndLoc()));
  };
  for (const clang::Stmt* S = In.Function->getBody(); S;) {
    const auto Next = llvm::find_if(S->children(), Holds);
    if (Next != S->child_end() && llvm::isa<clang::CompoundStmt>(S) &&
        std::any_of(S->child_begin(), Next, [&](const clang::Stmt* Each) { return makesAnew(*Each, D); })) {
      return true;
    }
    S = Next == S->child_end() ? nullptr : *Next;
  }
  return false;
}

}  // namespace graphgen::check
