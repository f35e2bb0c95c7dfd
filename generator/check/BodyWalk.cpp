// SPDX-License-Identifier: Apache-2.0
//
// Goes down the tree. What stands under a condition, or after a conditional return, is uncertain.
#include "check/BodyWalk.h"

#include "check/Spelled.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// c10::MessageLogger(where, GLOG_FATAL) or google::LogMessageFatal, which throw or abort in the end: CHECK, TORCH_CHECK_EQ, LOG(FATAL).
bool isFatalLogger(const clang::CXXConstructExpr& E) {
  const clang::CXXRecordDecl& Class = *E.getConstructor()->getParent();
  const auto IsFatal = [](const clang::Expr* Each) {
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Each->IgnoreParenImpCasts());
    return Name && Name->getDecl()->getIdentifier() && Name->getDecl()->getName() == "GLOG_FATAL";
  };
  return Class.getIdentifier() &&
         (Class.getName() == "LogMessageFatal" || (Class.getName() == "MessageLogger" && llvm::any_of(E.arguments(), IsFatal)));
}

/// `LoggerVoidify() & MessageLogger(...).stream() << text`.
bool isFatalLog(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E)) {
    const clang::OverloadedOperatorKind Kind = Operator->getOperator();
    return (Kind == clang::OO_LessLess && isFatalLog(*Operator->getArg(0))) ||
           (Kind == clang::OO_Amp && Operator->getNumArgs() == 2 && isFatalLog(*Operator->getArg(1)));
  }
  if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E)) {
    return isFatalLog(*Call->getImplicitObjectArgument());
  }
  if (const auto* Cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&E)) {
    return isFatalLog(*Cast->getSubExpr());
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  return Construction && isFatalLogger(*Construction);
}

bool endsInThrow(const clang::Stmt* S) {
  if (const auto* Compound = llvm::dyn_cast_if_present<clang::CompoundStmt>(S)) {
    return !Compound->body_empty() && endsInThrow(Compound->body_back());
  }
  const auto* Given = llvm::dyn_cast_if_present<clang::Expr>(S);
  if (!Given) {
    return false;
  }
  const clang::Expr& E = spelled(*Given);
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
  return llvm::isa<clang::CXXThrowExpr>(E) || (Callee && Callee->isNoReturn()) || isFatalLog(E);
}

class Walk {
 public:
  Walk(const clang::ASTContext& Context, StatementVisitor Visit) : Context(Context), Visit(Visit) {}

  void walk(const clang::Stmt* S, bool IsCertain) {
    if (!S) {
      return;
    }
    IsCertain = IsCertain && !MayHaveReturned;
    Visit(*S, IsCertain);
    walkParts(*S, IsCertain);
  }

 private:
  void walkParts(const clang::Stmt& S, bool IsCertain);
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
  std::optional<bool> constant(const clang::Expr& Condition) const;

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
      walk(cast<SwitchStmt>(S).getInit(), IsCertain);
      walk(cast<SwitchStmt>(S).getConditionVariableDeclStmt(), IsCertain);
      walk(cast<SwitchStmt>(S).getCond(), IsCertain);
      return walk(cast<SwitchStmt>(S).getBody(), false);
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
  const std::optional<bool> Known = constant(Condition);
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
    walk(For->getBody(), false);
    return walk(For->getInc(), false);
  }
  if (const auto* While = llvm::dyn_cast<clang::WhileStmt>(&S)) {
    walk(While->getConditionVariableDeclStmt(), IsCertain);
    const bool IsEndless = constant(*While->getCond()) == true;
    walk(While->getCond(), IsCertain);
    return walk(While->getBody(), IsCertain && IsEndless);
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

std::optional<bool> Walk::constant(const clang::Expr& Condition) const {
  bool Value = false;
  if (Condition.isValueDependent() || Condition.containsErrors() || !Condition.EvaluateAsBooleanCondition(Value, Context)) {
    return std::nullopt;
  }
  return Value;
}

}  // namespace

void walkBody(const clang::FunctionDecl& Definition, StatementVisitor Visit) {
  Walk Each(Definition.getASTContext(), Visit);
  if (const auto* Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&Definition)) {
    for (const clang::CXXCtorInitializer* Initializer : Constructor->inits()) {
      Each.walk(Initializer->getInit(), true);
    }
  }
  Each.walk(Definition.getBody(), true);
}

}  // namespace graphgen::check
