// SPDX-License-Identifier: Apache-2.0
//
// Losses of LibTorch that read values of tensors on the host, with some of their arguments and options.
#pragma once

#include "check/HostReads.h"

namespace graphgen::check {

/// S as the run of one that does; else none.
HostRead lossRead(const clang::Stmt& S, const Place& At);

}  // namespace graphgen::check
