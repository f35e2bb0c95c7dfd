// SPDX-License-Identifier: Apache-2.0
//
// SARIF 2.1.0, the format that code scanning services and editors read.
#pragma once

#include "report/Message.h"

namespace graphgen::report {

struct RunFacts {
  std::string Version;             // of graphgen
  std::string Folder;              // where it ran, absolute: files below it are named relative to it
  std::vector<std::string> Files;  // what it was called on, absolute
  int ExitCode = 0;
};

/// One document for the whole run, indented, ending in a newline. Messages about a place, or with an id, are results; the others are
/// notifications of the tool's execution. The calls that lead to a place are its code flow, other notes are related locations.
std::string toSarif(const Report& Told, const RunFacts& Facts);

}  // namespace graphgen::report
