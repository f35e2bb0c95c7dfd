// SPDX-License-Identifier: Apache-2.0
//
// A value that is set to the same in each call is no alarm, nor is what a call makes and leaves, nor what complains of a shape or type.
#include "check/HostStateCheck.h"

#include "check/code/Callee.h"
#include "check/code/KnownCalls.h"
#include "check/code/MadeAnew.h"
#include "check/code/Paths.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/FormBranches.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

struct Change {
  const clang::Expr* Target = nullptr;
  clang::SourceLocation Where;
};

bool isUpdate(const clang::BinaryOperator& S) {
  const clang::ValueDecl* Named = pathOf(*S.getLHS()).Named;
  return S.isCompoundAssignmentOp() || (S.isAssignmentOp() && Named && mentions(originOf(*S.getRHS()), *Named));
}

/// Of numbers, strings and atomics, or of what holds them.
Change updateOf(const clang::Stmt& S) {
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&S); Unary && Unary->isIncrementDecrementOp()) {
    return {&holderOf(*Unary->getSubExpr()), Unary->getOperatorLoc()};
  }
  if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&S); Binary && isUpdate(*Binary)) {
    return {&holderOf(*Binary->getLHS()), Binary->getOperatorLoc()};
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  const clang::OverloadedOperatorKind Kind = Operator ? Operator->getOperator() : clang::OO_None;
  const bool IsUpdate = llvm::is_contained({clang::OO_PlusPlus, clang::OO_MinusMinus, clang::OO_PlusEqual, clang::OO_MinusEqual}, Kind);
  const bool IsHosts = IsUpdate && llvm::StringSwitch<bool>(libraryClass(Operator->getArg(0)->getType()))
                                       .Cases({"atomic", "__atomic_base", "__atomic_float", "basic_string", "duration"}, true)
                                       .Default(false);
  return IsHosts ? Change{&holderOf(*Operator->getArg(0)), Operator->getOperatorLoc()} : Change();
}

bool growsOrShrinks(const clang::CXXMethodDecl& Method) {
  if (!Method.getIdentifier() || !Method.getParent()->isInStdNamespace()) {
    return false;
  }
  return llvm::StringSwitch<bool>(Method.getName())
             .Cases({"push_back", "emplace_back", "push_front", "emplace_front", "pop_back", "pop_front"}, true)
             .Cases({"push", "emplace", "pop", "insert", "erase", "append", "fetch_add", "fetch_sub"}, true)
             .Default(false) &&
         llvm::StringSwitch<bool>(Method.getParent()->getName())
             .Cases({"vector", "deque", "list", "forward_list", "queue", "priority_queue", "stack"}, true)
             .Cases({"basic_string", "atomic", "__atomic_base", "__atomic_float"}, true)
             .Default(false);
}

/// Of a container that the same function clears, each call makes the same.
Change growthOf(const clang::Stmt& S, const Place& At) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  if (!Method || !growsOrShrinks(*Method)) {
    return {};
  }
  const clang::Expr& Container = *Call->getImplicitObjectArgument();
  const clang::ValueDecl* Named = pathOf(Container).Named;
  const bool IsCleared =
      Named && llvm::any_of(At.Index.usesOf(*Named), [&](const StateUse& Each) {
        return Each.User == &patternOf(*At.In.Function) && Each.Called->getIdentifier() && Each.Called->getName() == "clear";
      });
  return IsCleared ? Change() : Change{&Container, nameOf(*Call)};
}

/// Where errors are told: TORCH_WARN, std::cerr.
bool isComplaint(const clang::Stmt& S) {
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S)) {
    return isErrorStream(*Operator->getArg(0));
  }
  return knownCall(S).Name == "warn";
}

bool isOutputStream(clang::QualType Type) {
  const llvm::StringRef Class = libraryClass(Type);
  return Class == "basic_ostream" || Class == "basic_ofstream" || Class == "basic_fstream";
}

bool isLogger(llvm::StringRef Class) { return Class == "MessageLogger" || Class == "LogMessage"; }

/// Where S writes to the world; invalid where it does not.
clang::SourceLocation outputOf(const clang::Stmt& S, const Frame& In) {
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&S)) {
    const bool Opens = libraryClass(Construction->getType()) == "basic_ofstream" && Construction->getNumArgs() != 0;
    const bool Logs = isLogger(Construction->getConstructor()->getParent()->getName());
    return Opens || Logs ? Construction->getBeginLoc() : clang::SourceLocation();
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  if (Operator && Operator->getOperator() == clang::OO_LessLess) {
    const clang::Expr& Stream = *Operator->getArg(0);
    return isOutputStream(Stream.getType()) && outlivesCall(Stream, In) ? Operator->getOperatorLoc() : clang::SourceLocation();
  }
  const KnownCall Call = knownCall(S);
  const bool Writes =
      Call && Call.isOneOf({"printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "fputc", "putc", "fwrite", "write",
                            "syslog", "perror", "std::print", "std::println", "c10::warn", "torch::save", "torch::pickle_save"});
  return Writes ? Call.Where : clang::SourceLocation();
}

/// A copy in a lambda that this call does not make: of `[step = 0]() mutable { return ++step; }` in a member.
const clang::ValueDecl* heldByStored(const clang::Expr& Target, const Frame& In) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&Target);
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(In.Function);
  if (!Name || !Method || !Method->getParent()->isLambda() || !In.Reason) {
    return nullptr;
  }
  const clang::CXXRecordDecl& Lambda = *Method->getParent();
  const bool IsCopy = llvm::any_of(Lambda.captures(), [&](const clang::LambdaCapture& Each) {
    return Each.capturesVariable() && Each.getCaptureKind() == clang::LCK_ByCopy && Each.getCapturedVar() == Name->getDecl();
  });
  for (const Frame* Each = In.Caller; Each; Each = Each->Caller) {
    if (Each->Function == Lambda.getDeclContext()) {
      return nullptr;
    }
  }
  return IsCopy ? Name->getDecl() : nullptr;
}

}  // namespace

void HostStateCheck::check(const clang::Stmt& S, const Place& At) const {
  Change Found = updateOf(S);
  if (!Found.Target) {
    Found = growthOf(S, At);
  }
  if (Found.Target) {
    const clang::ValueDecl* Held = heldByStored(*Found.Target, At.In);
    const clang::ValueDecl* Named = Held ? Held : pathOf(*Found.Target).Named;
    if (Named && (Held || outlivesCall(*Found.Target, At.In)) && !isMadeAnew(*Named, Found.Where, At.In)) {
      suspect(At, Found.Where, S.getSourceRange(), "'" + Named->getName() + "' changes when the graph is captured, not in replays");
    }
    return;
  }
  const clang::SourceLocation Where = outputOf(S, At.In);
  if (Where.isValid() && !(isComplaint(S) && isUnderForm(S, *At.In.Function))) {
    suspect(At, Where, S.getSourceRange(), "this is written when the graph is captured, not by replays");
  }
}

}  // namespace graphgen::check
