// SPDX-License-Identifier: Apache-2.0
//
// An argument is marked `grad`, and all that the results are computed from it by has its gradient cut off.
#include "check/code/Spelled.h"
#include "check/rules/Rule.h"
#include "check/rules/Words.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

std::string cutterOf(const clang::Expr& Cut) {
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Cut);
  if (Operator && Operator->isComparisonOp()) {
    return "a comparison";
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&Cut);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  const auto Cuts = [](const OverlayRow* Each) { return Each->What->Its == Trait::CutsGradient; };
  return Function && llvm::any_of(overlayOf(*Function), Cuts) ? "'" + Function->getNameAsString() + "'" : "a guard";
}

clang::SourceLocation placeOf(const clang::Expr& Cut) {
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Cut);
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&Cut);
  return Operator ? Operator->getOperatorLoc() : Call ? nameOf(*Call) : Cut.getExprLoc();
}

/// All tensors that are returned, also within an object.
std::vector<flow::ValueRef> resultsOf(const flow::Summary& Body) {
  std::vector<flow::ValueRef> Results = {Body.Result};
  const flow::Path Object = Body.Result ? Body.Result->target() : nullptr;
  if (Object && !Object->isOutside() && Body.Exit) {
    for (const auto& [Each, Known] : Body.Exit->within(Object)) {
      Results.push_back(Known);
    }
  }
  llvm::erase(Results, nullptr);
  return Results;
}

// Of a step's results nothing asks for a gradient: its own backward() gives them.
void judgeResults(llvm::ArrayRef<Occurrence> All) {
  if (areOfStep(All.front().Annotations)) {
    return;
  }
  const std::vector<flow::ValueRef> Results = resultsOf(All.front().In.Of);
  llvm::SmallVector<flow::Path, 4> Seen;
  for (const flow::ValueRef Each : Results) {
    for (const auto& One : Each->Cuts) {
      const flow::Path Marked = One.first;
      const clang::Expr* Cut = One.second;
      const bool Reaches = llvm::any_of(Results, [&](flow::ValueRef Other) { return llvm::is_contained(Other->Differentiable, Marked); });
      if (Reaches || Marked->from() != flow::Root::Argument || llvm::is_contained(Seen, Marked)) {
        continue;
      }
      Seen.push_back(Marked);
      All.front().tell({"graphed-cut-gradient",
                        placeOf(*Cut),
                        Cut->getSourceRange(),
                        wordsOf(*Marked) + " is marked 'grad', and gets no gradient: " + cutterOf(*Cut) + " cuts it off",
                        {},
                        false,
                        {}});
    }
  }
}

}  // namespace

const Rule rules::CutGradient{.OnEnd = judgeResults};

}  // namespace graphgen::check
