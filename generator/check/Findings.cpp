// SPDX-License-Identifier: Apache-2.0
//
// Kept by their places and subjects.
#include "check/Findings.h"

#include "check/Registry.h"

#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

/// `Other` is left out.
static void unite(Finding& Kept, Finding& Other) {
  Kept.IsCertain |= Other.IsCertain;
  Kept.Callables.merge(Other.Callables);
}

void Findings::add(Finding New) {
  std::vector<Finding>& Here = Found[{New.Where, infoOf(New.Check).IsOfTargets}];
  const auto IsOther = [&](const Finding& Each) { return Each.Check != New.Check && Each.Callables == New.Callables; };
  const auto Place = [](const Finding& Each) { return std::pair(Each.Unchanged != nullptr, &infoOf(Each.Check)); };
  const auto Earlier = llvm::find_if(Here, [&](const Finding& Each) { return IsOther(Each) && Place(Each) < Place(New); });
  if (Earlier != Here.end()) {
    return unite(*Earlier, New);
  }
  for (Finding& Each : Here) {
    if (IsOther(Each)) {
      unite(New, Each);
    }
  }
  llvm::erase_if(Here, [&](const Finding& Each) { return Each.Check != New.Check && Each.Callables == New.Callables; });
  const auto Same = llvm::find_if(Here, [&](const Finding& Each) { return Each.Check == New.Check && Each.Message == New.Message; });
  if (Same == Here.end()) {
    Here.push_back(std::move(New));
  } else {
    if (New.IsCertain && !Same->IsCertain) {
      std::swap(*Same, New);
    }
    unite(*Same, New);
  }
}

void Findings::merge(Findings Other) {
  for (auto& [About, Here] : Other.Found) {
    llvm::for_each(Here, [&](Finding& Each) { add(std::move(Each)); });
  }
}

void Findings::removeIf(llvm::function_ref<bool(const Finding&)> IsRemoved) {
  for (auto& [About, Here] : Found) {
    llvm::erase_if(Here, IsRemoved);
  }
}

std::vector<Finding> Findings::take() {
  std::vector<Finding> Result;
  for (auto& [About, Here] : Found) {
    llvm::move(Here, std::back_inserter(Result));
  }
  Found.clear();
  return Result;
}

std::vector<Finding> Findings::take(const clang::SourceManager& Sources) {
  std::vector<Finding> Result = take();
  llvm::stable_sort(Result, [&](const Finding& A, const Finding& B) { return Sources.isBeforeInTranslationUnit(A.Where, B.Where); });
  return Result;
}

}  // namespace graphgen::check
