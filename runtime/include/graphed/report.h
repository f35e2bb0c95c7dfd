// SPDX-License-Identifier: Apache-2.0
//
// The report: what each graphed callable of the process did, captured and holds, as files for people and programs. docs/reference/report.md
// describes them.
//
// Python: torch.profiler.profile.export_chrome_trace and torch.compile's tlparse are the nearest.
#pragma once

#include <graphed/export.h>

#include <string>

namespace graphed {

/// From now on, captures note their operators, and each callable its first 64 calls, for report(). GRAPHED_REPORT=folder does the same
/// from the first call on, and writes the report when the process ends. Memory: about 300 bytes for each operator of a capture. On a CPU
/// the first 8 replays of a graph measure each operator. Any thread may call; a second call changes nothing.
GRAPHED_API void collect_report();

/// Writes `index.html`, `report.json` and `trace.json` into `folder`, which is made where it is missing. In the name, `%p` is the number of
/// the process. Files of these names are replaced, each at once: a reader sees the old one or the new one.
///
/// What was not collected is left out: without collect_report() there are counts and memory, but no operators and no calls one by one.
/// Callables that have ended are in the report where they ended after collect_report(), up to 256 of them.
///
/// Threads: any thread may call, at any time, also inside of a callable; calls of other threads go on. It does not wait for the device and
/// uses no stream. Throws graphed::Error where a file cannot be written.
GRAPHED_API void report(const std::string& folder);

}  // namespace graphed
