// SPDX-License-Identifier: Apache-2.0
//
// One walk over the statements. Methods of other objects set what is theirs, and are left out.
#include "check/state/BranchEffects.h"

#include "check/code/KnownCalls.h"
#include "check/code/Library.h"
#include "check/code/Spelled.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

bool fills(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"emplace", "try_emplace", "insert", "insert_or_assign", "push_back", "emplace_back", "resize", "assign"}, true)
      .Default(false);
}

class EffectCollector {
 public:
  explicit EffectCollector(BranchEffects& Found) : Found(Found) {}

  void walk(const clang::Stmt* S) {
    if (!S) {
      return;
    }
    if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(S); Binary && Binary->getOpcode() == clang::BO_Assign) {
      add(*Binary->getLHS(), *Binary->getRHS(), Binary->getOperatorLoc());
    } else if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(S)) {
      addCall(*Call);
    }
    for (const clang::Stmt* Each : S->children()) {
      walk(Each);
    }
  }

 private:
  void add(const clang::Expr& Target, const clang::Expr& Value, clang::SourceLocation Where) {
    if (const KnownCall Tie = knownCall(withoutCasts(Target)); Tie && Tie.isOneOf({"std::tie"})) {
      for (const clang::Expr* Each : Tie.Arguments) {
        add(*Each, Value, Where);
      }
    } else {
      Found.Sets.push_back({pathOf(Target), &Target, &Value, Where});
    }
  }

  void addCall(const clang::CallExpr& Call) {
    const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
    if (Operator && Operator->getOperator() == clang::OO_Equal) {
      add(*Operator->getArg(0), *Operator->getArg(1), Operator->getOperatorLoc());
    } else if (Operator && Operator->getOperator() == clang::OO_Subscript) {
      Found.Fills.push_back(pathOf(*Operator->getArg(0)));
    } else if (const auto* OnObject = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call)) {
      addMethod(*OnObject);
    } else if (const KnownCall Known = knownCall(Call); Known && Known.isOneOf({"std::back_inserter", "std::inserter"})) {
      Found.Fills.push_back(pathOf(*Known.Arguments[0]));
    } else if (const clang::FunctionDecl* Function = Call.getDirectCallee()) {
      enter(*Function);
    }
  }

  void addMethod(const clang::CXXMemberCallExpr& Call) {
    const clang::CXXMethodDecl* Method = Call.getMethodDecl();
    const clang::Expr& Object = *Call.getImplicitObjectArgument();
    const llvm::StringRef Name = Method && Method->getIdentifier() ? Method->getName() : "";
    if (const Path To = pathOf(Object); To.Named && Method && isOfLibrary(*Method)) {
      if (Call.getNumArgs() != 0 && (Name == "reset" || Name == "emplace")) {
        Found.Sets.push_back({To, &Object, Call.getArg(0), Call.getExprLoc()});
      }
      if (fills(Name)) {
        Found.Fills.push_back(To);
      }
    } else if (Method && llvm::isa<clang::CXXThisExpr>(Object.IgnoreParenImpCasts())) {
      enter(*Method);
    }
  }

  void enter(const clang::FunctionDecl& Function) {
    const clang::FunctionDecl* Definition = nullptr;
    if (!isOfLibrary(Function) && Function.hasBody(Definition) && Found.Called.insert(&patternOf(Function)).second) {
      walk(Definition->getBody());
    }
  }

  BranchEffects& Found;
};

}  // namespace

BranchEffects BranchEffects::of(llvm::ArrayRef<const clang::Stmt*> Parts) {
  BranchEffects Result;
  for (const clang::Stmt* Each : Parts) {
    EffectCollector(Result).walk(Each);
  }
  return Result;
}

}  // namespace graphgen::check
