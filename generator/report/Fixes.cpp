// SPDX-License-Identifier: Apache-2.0
//
// Edits are put in order, compared with their neighbours, and applied from the end.
#include "report/Fixes.h"

#include "llvm/ADT/STLExtras.h"

#include <set>
#include <tuple>

namespace graphgen::report {
namespace {

auto key(const Edit& E) { return std::tie(E.Where.Offset, E.Where.Length, E.Text); }

struct InOrder {
  bool operator()(const Edit* A, const Edit* B) const { return key(*A) < key(*B); }
};

using Edits = std::set<const Edit*, InOrder>;

std::string place(const Edit& E) {
  return E.Where.File + ":" + std::to_string(E.Where.Begin.Line) + ":" + std::to_string(E.Where.Begin.Column);
}

llvm::Error checkNoOverlap(const Edits& All) {
  const Edit* Last = nullptr;
  for (const Edit* Each : All) {
    if (Last && (Each->Where.Offset < Last->Where.Offset + Last->Where.Length || Each->Where.Offset == Last->Where.Offset)) {
      return llvm::createStringError("the fixes at " + place(*Last) + " and " + place(*Each) + " overlap: make one of them yourself");
    }
    Last = Each;
  }
  return llvm::Error::success();
}

}  // namespace

llvm::Expected<std::map<std::string, FixedFile>> applyFixes(const Report& Told) {
  std::map<std::string, Edits> ByFile;
  for (const Message& Each : Told.Messages) {
    if (const std::vector<Edit>* Fix = fixOf(Each)) {
      for (const Edit& E : *Fix) {
        ByFile[E.Where.File].insert(&E);
      }
    }
  }
  std::map<std::string, FixedFile> Fixed;
  for (const auto& [File, All] : ByFile) {
    if (llvm::Error Overlap = checkNoOverlap(All)) {
      return Overlap;
    }
    FixedFile Result{Told.Sources.at(File), Told.Sources.at(File), All.size()};
    for (const Edit* Each : llvm::reverse(All)) {
      Result.After.replace(Each->Where.Offset, Each->Where.Length, Each->Text);
    }
    Fixed.emplace(File, std::move(Result));
  }
  return Fixed;
}

}  // namespace graphgen::report
