// SPDX-License-Identifier: Apache-2.0
//
// NVRTC, on which LibTorch depends as well. Found at run time: a process that fuses nothing never loads it.
#pragma once

#include <string>

namespace graphed::impl::fusion {

/// A cubin, or why there is none.
struct compiled {
  std::string cubin;
  std::string why_not;
};

/// Compiles for "sm_90" or the like. Denormals are kept, division and square roots are rounded correctly, and what the source does not
/// round explicitly may be contracted, as nvcc does for LibTorch: the mathematical functions are the same code then. Never throws for what
/// the compiler says. Thread-safe.
compiled compile(const std::string& source, const std::string& architecture);
/// "13.0"; empty where there is no NVRTC.
std::string compiler_version();

}  // namespace graphed::impl::fusion
