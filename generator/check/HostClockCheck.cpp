// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names.
#include "check/HostClockCheck.h"

#include "check/code/KnownCalls.h"

namespace graphgen::check {

void HostClockCheck::check(const clang::Stmt& S, const Place& At) const {
  const KnownCall Call = knownCall(S);
  if (Call && Call.isOneOf({"std::chrono::system_clock::now", "std::chrono::steady_clock::now", "std::chrono::high_resolution_clock::now",
                            "std::chrono::utc_clock::now", "time", "std::time", "clock", "std::clock", "gettimeofday", "clock_gettime",
                            "timespec_get", "c10::getTime", "c10::getApproximateTime"})) {
    suspect(At, Call.Where, S.getSourceRange(), "'" + Call.Name + "' is read when the graph is captured, not by replays");
  }
}

}  // namespace graphgen::check
