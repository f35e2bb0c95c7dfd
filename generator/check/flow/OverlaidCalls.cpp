// SPDX-License-Identifier: Apache-2.0
//
// What calls give whose functions have a row of the overlay.
#include "check/flow/BodyRun.h"
#include "check/torch/Overlay.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check::flow {

/// What the overlay says that a function gives.
std::optional<ValueRef> BodyRun::overlaidCall(const clang::Expr& E, const Called& Its) {
  for (const OverlayRow* Each : All.rowsOf(*Its.Function)) {
    if (Each->What->Its == Trait::ComputesNumber) {
      std::vector<ValueRef> Numbers;
      for (const auto& [Expression, Given] : llvm::zip_equal(Its.Expressions, Its.Arguments)) {
        Numbers.push_back(seen(*Expression, Given));
      }
      const ValueRef Number = computed(Numbers);
      if (!E.isGLValue()) {
        return Number;
      }
      const Path Made = All.Places.fresh(E);
      Now.set(Made, Number);
      return All.Known.keep(Value::to(Made));
    }
    if (Each->What->Its == Trait::GivesPointer && E.getType()->isPointerType()) {
      const ValueRef Of = Its.Object && !Its.Object->Targets.empty() ? load(Its.Object) : Its.Object;
      if (!E.getType()->getPointeeType().isConstQualified()) {
        wrote(Of);
      }
      Value Made = Value::unknown();
      Made.Made = Of && Of->On == Device::Host && Of->How <= Change::PerKey ? nullptr : &E;
      return All.Known.keep(std::move(Made));
    }
    if (Each->What->Its == Trait::GivesAccess) {
      wrote(Its.Object && !Its.Object->Targets.empty() ? load(Its.Object) : Its.Object);
    }
    if (Each->What->Its == Trait::RunsOnHost) {
      Value Made = Value::unknown();
      Made.Made = &E;
      return E.getType()->isVoidType() ? nullptr : returned(&E, All.Known.keep(std::move(Made)));
    }
    if (Each->What->Its == Trait::CallsEach) {
      return unknownCall(Its);  // of the function's own body nothing leads to those that it is given
    }
    if (Each->What->Its == Trait::IsFalse) {
      return All.Known.keep(Value::number(0));
    }
    if (Each->What->Its == Trait::MakesOnHost) {
      Value Made;
      Made.Made = &E;
      Made.On = Device::Host;
      Made.How = Change::Never;
      return All.Known.keep(std::move(Made));
    }
  }
  return std::nullopt;
}

/// The result with the call, where that gives what other ranks may have otherwise.
ValueRef BodyRun::ofRank(const Called& Its, ValueRef Given) {
  const auto* E = llvm::dyn_cast<clang::CallExpr>(&Its.At);
  if (!E || !Given || !Its.Function || E->isGLValue() ||
      llvm::none_of(All.rowsOf(*Its.Function), [](const OverlayRow* Each) { return mayDifferOverRanks(*Each->What); })) {
    return Given;
  }
  Value Made = *Given;
  Made.OfRank = E;
  return All.Known.keep(std::move(Made));
}

}  // namespace graphgen::check::flow
