// SPDX-License-Identifier: Apache-2.0
//
// A number is read after a host part that changes it: each replay runs the part, and what was computed from the number is the capture's.
#include "check/code/Library.h"
#include "check/rules/Rule.h"
#include "check/rules/RunOnHost.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace graphgen::check {
namespace {

using flow::Fact;

/// A host part, and the program's functions that it runs.
struct Part {
  const Occurrence& Run;
  clang::SourceRange Text;
  llvm::SmallPtrSet<const clang::FunctionDecl*, 8> Called = {};

  void addCalls(const clang::Stmt& In) {
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&In);
    const clang::FunctionDecl* F = Call ? Call->getDirectCallee() : nullptr;
    if (F && !isOfLibrary(*F) && Called.insert(&patternOf(*F)).second && F->getBody()) {
      addCalls(*F->getBody());
    }
    for (const clang::Stmt* Each : In.children()) {
      if (Each) {
        addCalls(*Each);
      }
    }
  }

  const StateWrite* changeOf(const clang::ValueDecl& D) const {
    const clang::SourceManager& Sources = D.getASTContext().getSourceManager();
    const llvm::ArrayRef<StateWrite> Writes = Run.Unit.writesTo(D);
    const auto* Found = llvm::find_if(Writes, [&](const StateWrite& Each) {
      return Called.contains(Each.Writer) || Sources.isPointWithin(Each.Where, Text.getBegin(), Text.getEnd());
    });
    return Found == Writes.end() ? nullptr : Found;
  }

  /// Whether the read, or a call that comes to it, is behind the part, and the body has not set the place again in between.
  bool isBefore(const Occurrence& Read, flow::Path Of) const {
    const Way* In = &Read.In;
    const flow::Summary* Into = nullptr;
    for (; In && In != &Run.In; In = In->Caller) {
      Into = &In->Of;
    }
    for (size_t Place = In ? &Run.Its - In->Of.Facts.data() : 0; In && Place < In->Of.Facts.size(); ++Place) {
      const Fact& Each = In->Of.Facts[Place];
      if (Into ? Each.Into.get() == Into : &Each == &Read.Its) {
        return true;
      }
      if (Each.What == Fact::Kind::Rebind && Each.IsCertain && Each.Object->target() == Of) {
        return false;
      }
    }
    return false;
  }
};

void judgeReadsBehind(const Part& Run, llvm::ArrayRef<Occurrence> All) {
  for (const Occurrence& Each : All) {
    const flow::Path Of = Each.Its.What == Fact::Kind::Read ? Each.Its.Object->target() : nullptr;
    const clang::ValueDecl* Named = Of && Of->outlivesCall() ? Of->named() : nullptr;
    const StateWrite* Change = Named ? Run.changeOf(*Named) : nullptr;
    if (Change && Run.isBefore(Each, Of)) {
      Each.suspect(
          "graphed-frozen", Each.where(),
          "'" + Named->getName() + "' is read when the graph is captured, behind a host part that changes it: replays keep the value",
          {{Change->Where, "it is changed here"}});
    }
  }
}

/// With a body: a lambda, also one in a variable, or what a std::function holds.
std::vector<const clang::FunctionDecl*> givenTo(const Occurrence& Call) {
  std::vector<const clang::FunctionDecl*> Found;
  const flow::ValueRef Held = Call.Its.Arguments[0];
  if (const clang::LambdaExpr* Lambda = lambdaIn(*Call.Its.Expressions[0])) {
    Found.push_back(Lambda->getCallOperator());
  } else if (Held) {
    llvm::transform(Held->Callables, std::back_inserter(Found), [](const flow::Callable& Each) { return Each.Function; });
  }
  llvm::erase_if(Found, [](const clang::FunctionDecl* Each) { return !Each->getBody(); });
  return Found;
}

void judgeHostChanges(llvm::ArrayRef<Occurrence> All) {
  for (const Occurrence& Each : All) {
    const bool IsPart = Each.Its.What == Fact::Kind::Call && !Each.Its.Expressions.empty() && hasTrait(Each, Trait::RunsOnHost);
    for (const clang::FunctionDecl* Given : IsPart ? givenTo(Each) : std::vector<const clang::FunctionDecl*>()) {
      Part Run{Each, Given->getSourceRange(), {&patternOf(*Given)}};
      Run.addCalls(*Given->getBody());
      judgeReadsBehind(Run, All);
    }
  }
}

}  // namespace

const Rule rules::HostChange{.OnEnd = judgeHostChanges};

}  // namespace graphgen::check
