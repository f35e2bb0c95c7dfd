// SPDX-License-Identifier: Apache-2.0
//
// at::isin of few elements to find, each of which LibTorch compares with all; of many it asks which differ, and how many these are.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

/// Whether S is such a call for sure.
bool findsOneByOne(const clang::Stmt& S, const Place& At);

}  // namespace graphgen::check
