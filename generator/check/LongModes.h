// SPDX-License-Identifier: Apache-2.0
//
// at::mode over more elements than one block of threads can sort: LibTorch sorts row after row then, and waits for the device.
#pragma once

#include "check/HostReads.h"

namespace graphgen::check {

/// S as such a call, by the sizes that annotations say; else none.
HostRead longMode(const clang::Stmt& S, const Place& At);

}  // namespace graphgen::check
