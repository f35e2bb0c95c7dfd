// SPDX-License-Identifier: Apache-2.0
//
// By the kind of the statement, and by the loggers' names.
#include "check/code/Exits.h"

#include "check/code/Constants.h"
#include "check/code/Spelled.h"

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

bool leavesByBranch(const clang::IfStmt& S, const clang::ASTContext& Context) {
  const std::optional<bool> Known = S.isConsteval() ? std::optional(!S.isNegatedConsteval()) : constantTruth(*S.getCond(), Context);
  const bool ThenLeaves = leaves(S.getThen(), Context);
  const bool ElseLeaves = leaves(S.getElse(), Context);
  return Known ? (*Known ? ThenLeaves : ElseLeaves) : ThenLeaves && ElseLeaves;
}

}  // namespace

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

bool leaves(const clang::Stmt* S, const clang::ASTContext& Context) {
  if (!S) {
    return false;
  }
  if (const auto* Compound = llvm::dyn_cast<clang::CompoundStmt>(S)) {
    return !holdsLabel(*S) && llvm::any_of(Compound->body(), [&](const clang::Stmt* Each) { return leaves(Each, Context); });
  }
  if (const auto* If = llvm::dyn_cast<clang::IfStmt>(S)) {
    return leavesByBranch(*If, Context);
  }
  return llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt, clang::GotoStmt>(S) || endsInThrow(S);
}

bool holdsLabel(const clang::Stmt& S) {
  return llvm::isa<clang::SwitchCase, clang::LabelStmt>(S) ||
         (!llvm::isa<clang::Expr>(S) && llvm::any_of(S.children(), [](const clang::Stmt* Each) { return Each && holdsLabel(*Each); }));
}

bool holdsBreak(const clang::Stmt& S) {
  if (llvm::isa<clang::BreakStmt, clang::ContinueStmt>(S)) {
    return true;
  }
  return !llvm::isa<clang::Expr, clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt, clang::SwitchStmt>(S) &&
         llvm::any_of(S.children(), [](const clang::Stmt* Each) { return Each && holdsBreak(*Each); });
}

}  // namespace graphgen::check
