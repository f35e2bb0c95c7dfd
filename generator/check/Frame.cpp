// SPDX-License-Identifier: Apache-2.0
//
// One note for each call.
#include "check/Frame.h"

#include "check/Library.h"
#include "scan/Types.h"

namespace graphgen::check {

std::vector<Note> wayTo(const Frame& In) {
  std::vector<Note> Way;
  for (const Frame* Each = &In; Each->Caller; Each = Each->Caller) {
    const clang::FunctionDecl& Caller = *Each->Caller->Function;
    if (!isOfLibrary(Caller)) {
      Way.push_back({Each->Call, "called from '" + scan::instanceName(Caller) + "' here"});
    }
  }
  return Way;
}

}  // namespace graphgen::check
