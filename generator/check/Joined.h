// SPDX-License-Identifier: Apache-2.0
//
// Joined findings as findings of one file are reported: chosen by globs, suppressed by comments, equal ones together.
#pragma once

#include "check/Check.h"
#include "check/join/Join.h"

#include "clang/Basic/SourceManager.h"

namespace graphgen::check {

void tellJoined(llvm::ArrayRef<join::Joined> All, const CheckOptions& Options, clang::SourceManager& Sources, scan::Reporter& Report);

}  // namespace graphgen::check
