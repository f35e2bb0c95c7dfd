// SPDX-License-Identifier: Apache-2.0
//
// Kept by their places.
#include "check/Findings.h"

#include "check/CaptureCheck.h"

#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool precedes(llvm::StringRef A, llvm::StringRef B) {
  const auto* First = llvm::find_if(captureChecks(), [&](const CaptureCheck* Each) { return Each->name() == A || Each->name() == B; });
  return (*First)->name() == A && A != B;
}

}  // namespace

void Findings::add(Finding New) {
  const auto [Place, IsNew] = Found.try_emplace(New.Where, New);
  if (IsNew) {
    return;
  }
  Finding& Old = Place->second;
  const bool IsCertain = Old.IsCertain || New.IsCertain;
  if (precedes(New.Check, Old.Check) || (New.Check == Old.Check && New.IsCertain && !Old.IsCertain)) {
    Old = std::move(New);
  }
  Old.IsCertain = IsCertain;
}

void Findings::merge(Findings Other) {
  for (auto& [Where, Each] : Other.Found) {
    add(std::move(Each));
  }
}

void Findings::removeIf(llvm::function_ref<bool(const Finding&)> IsRemoved) {
  for (auto Each = Found.begin(); Each != Found.end();) {
    Each = IsRemoved(Each->second) ? Found.erase(Each) : std::next(Each);
  }
}

std::vector<Finding> Findings::take(const clang::SourceManager& Sources) {
  std::vector<Finding> Result;
  for (auto& [Where, Each] : Found) {
    Result.push_back(std::move(Each));
  }
  Found.clear();
  llvm::sort(Result, [&](const Finding& A, const Finding& B) { return Sources.isBeforeInTranslationUnit(A.Where, B.Where); });
  return Result;
}

}  // namespace graphgen::check
