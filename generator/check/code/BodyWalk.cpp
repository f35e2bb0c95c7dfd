// SPDX-License-Identifier: Apache-2.0
//
// Goes down the tree. What stands under a condition, or after a conditional return, is uncertain.
#include "check/code/BodyWalk.h"

#include "check/code/Constants.h"
#include "check/code/Exits.h"
#include "check/code/Library.h"
#include "check/code/Switches.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// What a warm-up executes, and no later call: std::call_once.
bool isDoneOnce(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  return Function && Function->getIdentifier() && Function->getName() == "call_once" && isOfLibrary(*Function);
}

class Walk {
 public:
  Walk(const clang::ASTContext& Context, StatementVisitor Visit) : Context(Context), Visit(Visit) {}

  void walk(const clang::Stmt* S, bool IsCertain) {
    if (!S || isDoneOnce(*S)) {
      return;
    }
    IsCertain = IsCertain && !MayHaveReturned;
    Visit(*S, IsCertain);
    walkParts(*S, IsCertain);
  }

 private:
  void walkParts(const clang::Stmt& S, bool IsCertain);
  void walkStatements(const clang::CompoundStmt& S, bool IsCertain);
  void walkSwitch(const clang::SwitchStmt& S, bool IsCertain);
  void walkIf(const clang::IfStmt& S, bool IsCertain);
  void walkLoop(const clang::Stmt& S, bool IsCertain);
  void walkChoice(const clang::Expr& Condition, const clang::Stmt* Then, const clang::Stmt* Else, bool IsCertain);
  void walkCall(const clang::CallExpr& Call, bool IsCertain);
  void walkDeclarations(const clang::DeclStmt& S, bool IsCertain);
  void walkChildren(const clang::Stmt& S, bool IsCertain) {
    for (const clang::Stmt* Each : S.children()) {
      walk(Each, IsCertain);
    }
  }

  const clang::ASTContext& Context;
  StatementVisitor Visit;
  bool MayHaveReturned = false;
};

void Walk::walkParts(const clang::Stmt& S, bool IsCertain) {
  using namespace clang;
  switch (S.getStmtClass()) {
    case Stmt::CXXCatchStmtClass:
    case Stmt::UnaryExprOrTypeTraitExprClass:
    case Stmt::CXXNoexceptExprClass:
    case Stmt::CXXTypeidExprClass:
      return;
    case Stmt::IfStmtClass:
      return walkIf(cast<IfStmt>(S), IsCertain);
    case Stmt::ForStmtClass:
    case Stmt::WhileStmtClass:
    case Stmt::CXXForRangeStmtClass:
      return walkLoop(S, IsCertain);
    case Stmt::SwitchStmtClass:
      return walkSwitch(cast<SwitchStmt>(S), IsCertain);
    case Stmt::CompoundStmtClass:
      return walkStatements(cast<CompoundStmt>(S), IsCertain);
    case Stmt::ConditionalOperatorClass: {
      const auto& Choice = cast<ConditionalOperator>(S);
      return walkChoice(*Choice.getCond(), Choice.getTrueExpr(), Choice.getFalseExpr(), IsCertain);
    }
    case Stmt::BinaryOperatorClass: {
      const auto& Binary = cast<BinaryOperator>(S);
      if (Binary.isLogicalOp()) {
        const bool IsAnd = Binary.getOpcode() == BO_LAnd;
        return walkChoice(*Binary.getLHS(), IsAnd ? Binary.getRHS() : nullptr, IsAnd ? nullptr : Binary.getRHS(), IsCertain);
      }
      return walkChildren(S, IsCertain);
    }
    case Stmt::ReturnStmtClass:
    case Stmt::GotoStmtClass:
      walkChildren(S, IsCertain);
      MayHaveReturned |= !IsCertain;
      return;
    case Stmt::DeclStmtClass:
      return walkDeclarations(cast<DeclStmt>(S), IsCertain);
    case Stmt::LambdaExprClass:
      for (const Expr* Each : cast<LambdaExpr>(S).capture_inits()) {
        walk(Each, IsCertain);
      }
      return;
    case Stmt::CXXDefaultArgExprClass:
      return walk(cast<CXXDefaultArgExpr>(S).getExpr(), IsCertain);
    case Stmt::CXXDefaultInitExprClass:
      return walk(cast<CXXDefaultInitExpr>(S).getExpr(), IsCertain);
    default:
      if (const auto* Call = dyn_cast<CallExpr>(&S)) {
        return walkCall(*Call, IsCertain);
      }
      return walkChildren(S, IsCertain);
  }
}

/// What follows a statement that leaves is not executed, up to the next label.
void Walk::walkStatements(const clang::CompoundStmt& S, bool IsCertain) {
  bool IsReached = true;
  for (const clang::Stmt* Each : S.body()) {
    IsReached |= holdsLabel(*Each);
    if (IsReached) {
      walk(Each, IsCertain);
      IsReached = !leaves(Each, Context);
      IsCertain = IsCertain && !holdsBreak(*Each);
    }
  }
}

void Walk::walkSwitch(const clang::SwitchStmt& S, bool IsCertain) {
  walk(S.getInit(), IsCertain);
  walk(S.getConditionVariableDeclStmt(), IsCertain);
  walk(S.getCond(), IsCertain);
  const std::optional<std::vector<const clang::Stmt*>> Executed = executedOf(S, Context);
  if (!Executed) {
    return walk(S.getBody(), false);
  }
  for (const clang::Stmt* Each : *Executed) {
    walk(Each, IsCertain);
    IsCertain = IsCertain && !holdsBreak(*Each);
  }
}

void Walk::walkIf(const clang::IfStmt& S, bool IsCertain) {
  if (S.isConsteval()) {
    return walk(S.isNonNegatedConsteval() ? S.getElse() : S.getThen(), IsCertain);
  }
  walk(S.getInit(), IsCertain);
  walk(S.getConditionVariableDeclStmt(), IsCertain);
  walkChoice(*S.getCond(), S.getThen(), S.getElse(), IsCertain);
}

void Walk::walkChoice(const clang::Expr& Condition, const clang::Stmt* Then, const clang::Stmt* Else, bool IsCertain) {
  walk(&Condition, IsCertain);
  const std::optional<bool> Known = constantTruth(Condition, Context);
  if (Known != false && !endsInThrow(Then)) {
    walk(Then, IsCertain && Known.has_value());
  }
  if (Known != true && !endsInThrow(Else)) {
    walk(Else, IsCertain && Known.has_value());
  }
}

/// The first parts are executed at least once: initializers, the condition, the range.
void Walk::walkLoop(const clang::Stmt& S, bool IsCertain) {
  if (const auto* For = llvm::dyn_cast<clang::ForStmt>(&S)) {
    walk(For->getInit(), IsCertain);
    walk(For->getCond(), IsCertain);
    const std::optional<bool> Known = For->getCond() ? constantTruth(*For->getCond(), Context) : std::nullopt;
    if (Known != false) {
      walk(For->getBody(), false);
      walk(For->getInc(), false);
    }
    return;
  }
  if (const auto* While = llvm::dyn_cast<clang::WhileStmt>(&S)) {
    walk(While->getConditionVariableDeclStmt(), IsCertain);
    const std::optional<bool> Known = constantTruth(*While->getCond(), Context);
    walk(While->getCond(), IsCertain);
    return walk(Known == false ? nullptr : While->getBody(), IsCertain && Known == true);
  }
  const auto& Range = llvm::cast<clang::CXXForRangeStmt>(S);
  walk(Range.getInit(), IsCertain);
  walk(Range.getRangeStmt(), IsCertain);
  walk(Range.getBeginStmt(), IsCertain);
  walk(Range.getEndStmt(), IsCertain);
  walk(Range.getCond(), IsCertain);
  walk(Range.getLoopVarStmt(), false);
  walk(Range.getInc(), false);
  walk(Range.getBody(), false);
}

/// The name of the function that is called is no use of it by itself.
void Walk::walkCall(const clang::CallExpr& Call, bool IsCertain) {
  const clang::Expr* Callee = Call.getCallee()->IgnoreParenImpCasts();
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(Callee)) {
    walk(Member->getBase(), IsCertain);
  } else if (!llvm::isa<clang::DeclRefExpr>(Callee)) {
    walk(Callee, IsCertain);
  }
  for (const clang::Expr* Each : Call.arguments()) {
    walk(Each, IsCertain);
  }
}

void Walk::walkDeclarations(const clang::DeclStmt& S, bool IsCertain) {
  for (const clang::Decl* Each : S.decls()) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Each);
    if (Variable && !Variable->isStaticLocal()) {
      walk(Variable->getInit(), IsCertain);
    }
    const auto* Decomposed = llvm::dyn_cast<clang::DecompositionDecl>(Each);
    for (const clang::BindingDecl* Binding : Decomposed ? Decomposed->bindings() : llvm::ArrayRef<clang::BindingDecl*>()) {
      walk(Binding->getHoldingVar() ? Binding->getHoldingVar()->getInit() : nullptr, IsCertain);
    }
  }
}

}  // namespace

void walkBody(const clang::FunctionDecl& Definition, StatementVisitor Visit) {
  Walk Each(Definition.getASTContext(), Visit);
  if (const auto* Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&Definition)) {
    for (const clang::CXXCtorInitializer* Initializer : Constructor->inits()) {
      Each.walk(Initializer->getInit(), true);
    }
  }
  const auto* Coroutine = llvm::dyn_cast_if_present<clang::CoroutineBodyStmt>(Definition.getBody());
  Each.walk(Coroutine ? Coroutine->getBody() : Definition.getBody(), !Coroutine);  // which somebody may resume
}

}  // namespace graphgen::check
