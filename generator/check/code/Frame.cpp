// SPDX-License-Identifier: Apache-2.0
//
// One note for each call, after its reason.
#include "check/code/Frame.h"

#include "check/code/Library.h"
#include "scan/Types.h"

namespace graphgen::check {

std::vector<Note> wayTo(const Frame& In) {
  std::vector<Note> Way;
  for (const Frame* Each = &In; Each->Caller; Each = Each->Caller) {
    if (Each->Reason) {
      Way.push_back(*Each->Reason);
    }
    const clang::FunctionDecl& Caller = *Each->Caller->Function;
    if (!isOfLibrary(Caller)) {
      const std::string Name = "'" + scan::instanceName(Caller) + "'";
      Way.push_back({Each->Call, Each->IsBackward ? "in the backward of what " + Name + " applies here" : "called from " + Name + " here"});
    }
  }
  return Way;
}

ReassignedParts& reassignedParts(const Frame& In) {
  const Frame* Outermost = &In;
  while (Outermost->Caller) {
    Outermost = Outermost->Caller;
  }
  return *Outermost->Parts;
}

}  // namespace graphgen::check
