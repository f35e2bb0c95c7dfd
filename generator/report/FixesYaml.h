// SPDX-License-Identifier: Apache-2.0
//
// Fixes in the form of clang-tidy's --export-fixes, which clang-apply-replacements reads.
#pragma once

#include "report/Message.h"

namespace graphgen::report {

/// Alternatives are left out: clang-apply-replacements would take the first.
std::string toYaml(const Report& Told, const std::string& MainFile, const std::string& Folder);

}  // namespace graphgen::report
