// SPDX-License-Identifier: Apache-2.0
//
// A body of a branch or loop on the device assigns what it does not declare. A capture runs all bodies, and no replay assigns anything.
#include "check/flow/Types.h"
#include "check/rules/Rule.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// The call of graphed::if_else or graphed::while_loop that runs the body.
const clang::CallExpr* callThatRuns(const Way& Body) {
  const auto* Call = Body.Caller ? llvm::dyn_cast<clang::CallExpr>(Body.Entered->At) : nullptr;
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  const bool IsIt =
      Function && llvm::any_of(overlayOf(*Function), [](const OverlayRow* Each) { return Each->What->Its == Trait::CallsEach; });
  return IsIt ? Call : nullptr;
}

bool declares(const clang::FunctionDecl& Function, const flow::PathNode& To) {
  const auto* Owner = To.from() == flow::Root::Local ? llvm::dyn_cast<clang::FunctionDecl>(To.declared()->getDeclContext()) : nullptr;
  return Owner && Owner->getCanonicalDecl() == Function.getCanonicalDecl();
}

/// Around the place; null where that body, or what it has called, declares the variable.
const Way* bodyAround(const Way& In, const flow::PathNode& To) {
  for (const Way* Each = &In; Each && !declares(*Each->Of.Function, To); Each = Each->Caller) {
    if (callThatRuns(*Each)) {
      return Each;
    }
  }
  return nullptr;
}

/// A copy that a lambda holds.
bool isOfClosure(const flow::PathNode& To) {
  const clang::CXXRecordDecl* Class = To.declared() ? To.declared()->getType().getNonReferenceType()->getAsCXXRecordDecl() : nullptr;
  return Class && Class->isLambda();
}

/// A number, a tensor, or what may hold some.
bool isState(clang::QualType Type) {
  const bool IsOther = Type.isNull() || llvm::is_contained({flow::TypeKind::Function, flow::TypeKind::Record}, flow::kindOf(Type));
  return !IsOther || (!Type.isNull() && !tensorsOf(Type).empty());
}

bool isCondition(const clang::CallExpr& Loop, const clang::FunctionDecl& Body) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Body);
  return Method && Loop.getArg(0)->getType()->getAsCXXRecordDecl() == Method->getParent();
}

std::string remedyOf(const Way& Body) {
  const clang::CallExpr& Call = *callThatRuns(Body);
  if (Call.getDirectCallee()->getName() != "while_loop") {
    return " in a body of graphed::if_else, which a capture runs whichever body a replay chooses: return it from the body";
  }
  const std::string Which = isCondition(Call, *Body.Of.Function) ? "the condition" : "the body";
  return " in " + Which + " of graphed::while_loop, which a capture runs once, however often a replay does: put it into the loop's state";
}

void judgeBodyState(const Occurrence& At) {
  for (const flow::Target& Each : At.Its.Object->Targets) {
    const clang::ValueDecl* Named = Each.Of->named();
    const Way* Body = Named && !isOfClosure(*Each.Of) && isState(typeOf(*Each.Of)) ? bodyAround(At.In, *Each.Of) : nullptr;
    if (Body) {
      At.suspect(At.Rule, At.where(), wordsOf(*Each.Of) + (At.Its.Function ? " is changed" : " is assigned") + remedyOf(*Body),
                 {{Named->getLocation(), "declared here"}});
    }
  }
}

}  // namespace

const Rule rules::BodyState{.OnRebind = judgeBodyState, .OnAssign = judgeBodyState};

}  // namespace graphgen::check
