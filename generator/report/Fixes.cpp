// SPDX-License-Identifier: Apache-2.0
//
// Edits are put in order, compared with their neighbours, and applied from the end.
#include "report/Fixes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <tuple>

namespace graphgen::report {
namespace {

using Edits = std::vector<const Edit*>;

bool isInsertion(const Edit& E) { return E.Where.Length == 0; }

/// Of a list, such as an annotation's arguments.
bool addsItem(const Edit& E) { return isInsertion(E) && llvm::StringRef(E.Text).starts_with(","); }

/// Insertions at one place keep the order of their messages, but that items come after words, and are before what is replaced there.
void putInOrder(Edits& All) {
  const auto Key = [](const Edit& E) { return std::tuple(E.Where.Offset, !isInsertion(E), addsItem(E)); };
  llvm::stable_sort(All, [&](const Edit* A, const Edit* B) { return Key(*A) < Key(*B); });
}

bool conflicts(const Edit& Earlier, const Edit& Later) {
  if (Earlier.Where.Offset == Later.Where.Offset) {
    return !isInsertion(Earlier) || (isInsertion(Later) && !addsItem(Later));
  }
  return Later.Where.Offset < Earlier.Where.Offset + Earlier.Where.Length;
}

std::string place(const Edit& E) {
  return E.Where.File + ":" + std::to_string(E.Where.Begin.Line) + ":" + std::to_string(E.Where.Begin.Column);
}

llvm::Error checkNoOverlap(const Edits& All) {
  const Edit* Last = nullptr;
  for (const Edit* Each : All) {
    if (Last && conflicts(*Last, *Each)) {
      return llvm::createStringError("the fixes at " + place(*Last) + " and " + place(*Each) + " overlap: make one of them yourself");
    }
    Last = Each;
  }
  return llvm::Error::success();
}

}  // namespace

llvm::Expected<std::map<std::string, FixedFile>> applyFixes(const Report& Told) {
  std::map<std::string, Edits> ByFile;
  EditsSeen Seen;
  for (const Message& Each : Told.Messages) {
    if (const std::vector<Edit>* Fix = fixOf(Each)) {
      for (const Edit& E : *Fix) {
        if (Seen.isNew(E)) {
          ByFile[E.Where.File].push_back(&E);
        }
      }
    }
  }
  std::map<std::string, FixedFile> Fixed;
  for (auto& [File, All] : ByFile) {
    putInOrder(All);
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
