// SPDX-License-Identifier: Apache-2.0
//
// The text of a program for groups of operators: CUDA C++ for NVRTC, or C++ for the host's compiler, which is for tests.
#pragma once

#include "fusion/group.h"

#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <string>

namespace graphed::impl::fusion {

enum class target { device, host };

constexpr unsigned threads_of_block = 128;
/// How many blocks of `threads_of_block` threads a launch of the kernel takes.
unsigned blocks_of(const kernel& launch);

/// One program with a function for each kernel. On a device its parameters are the addresses of the memories of all its groups, in their
/// order; for the host it is `void name(void** addresses)`, to be compiled with -ffp-contract=off.
std::string program_source(c10::ArrayRef<kernel> kernels, target where = target::device);

}  // namespace graphed::impl::fusion
