// SPDX-License-Identifier: Apache-2.0
//
// Breadth first, so that the way to a body is a short one. A body that was entered by an uncertain call is walked again for a certain one.
#include "check/CallWalk.h"

#include "check/BodyWalk.h"
#include "check/Callee.h"
#include "check/Library.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

void CallWalk::run(const clang::FunctionDecl& Annotated) {
  enter(&Annotated, nullptr, Annotated.getLocation(), true);
  while (Next < Frames.size()) {
    walk(Frames[Next++]);
    if (Next == Frames.size()) {
      walkUncalledLambdas();
    }
  }
}

void CallWalk::enter(const clang::FunctionDecl* Function, const Frame* Caller, clang::SourceLocation Call, bool IsCertain) {
  if (!Function || (isOfLibrary(*Function) && !isMadeForProgram(*Function))) {
    return;
  }
  const clang::FunctionDecl* Definition = Bodies.definitionOf(*Function);
  if (!Definition || Definition->isDependentContext()) {
    return;
  }
  const auto [Known, IsNew] = CertainOf.try_emplace(Definition, IsCertain);
  if (IsNew || (IsCertain && !Known->second)) {
    Known->second = IsCertain;
    Frames.push_back({Definition, Caller, Call, IsCertain});
  }
}

void CallWalk::walk(const Frame& In) {
  const bool IsJudged = !isOfLibrary(*In.Function);
  walkBody(*In.Function, [&](const clang::Stmt& S, bool IsCertain) {
    const Place At{In, In.IsCertain && IsCertain, Found};
    for (const CaptureCheck* Each : IsJudged ? Checks : llvm::ArrayRef<const CaptureCheck*>()) {
      Each->check(S, At);
    }
    const Callee Called = calleeOf(S);
    enter(Called.Function, &In, Called.Call, At.IsCertain && Called.IsCertain);
    if (const auto* Lambda = llvm::dyn_cast<clang::LambdaExpr>(&S)) {
      Lambdas.emplace_back(Lambda, &In);
    }
  });
}

/// Whoever was given them may call them.
void CallWalk::walkUncalledLambdas() {
  for (const auto& [Lambda, In] : std::exchange(Lambdas, {})) {
    enter(Lambda->getCallOperator(), In, Lambda->getBeginLoc(), false);
  }
}

}  // namespace graphgen::check
