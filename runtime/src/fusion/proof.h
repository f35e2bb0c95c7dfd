// SPDX-License-Identifier: Apache-2.0
//
// No formula is believed: before it is used for operands of some dtypes, LibTorch's operator and the formula's kernel run on the same
// values, and the bits of their results are compared.
#pragma once

#include "fusion/group.h"

#include <c10/util/ArrayRef.h>

#include <optional>
#include <string>
#include <vector>

namespace graphed::impl::fusion {

/// That a formula has LibTorch's bits for operands of these dtypes.
struct claim {
  const formula* of;
  std::vector<at::ScalarType> operands;  ///< Undefined for a number
  at::ScalarType computes_in;

  /// "aten::mul(Half, number)".
  std::string text() const;
};

/// What a group relies on. The conversion of a result to another dtype is a claim as well.
std::vector<claim> claims_of(const group& of);

/// Whether the claim holds on the current GPU, with this LibTorch and NVRTC; empty if it has not been examined yet. Only looks it up.
std::optional<bool> is_proven(const claim& what);
/// Examines claims that have not been yet, on a thread and a stream of its own, whatever the calling thread captures, and keeps the
/// outcomes. Returns a line for the log about each that does not hold. What fails for another reason, such as memory, stays unexamined.
/// Waits for the GPU.
std::vector<std::string> prove(c10::ArrayRef<claim> claims);

/// How each claim fails on the current GPU; empty if it holds. Throws where the GPU cannot be used. Neither reads nor writes what is kept.
/// A NaN must have the same bits as well: LibTorch's kernels are deterministic there.
std::vector<std::string> failures_of(c10::ArrayRef<claim> claims);

}  // namespace graphed::impl::fusion
