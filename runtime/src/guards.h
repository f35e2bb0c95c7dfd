// SPDX-License-Identifier: Apache-2.0
//
// The check of a call's tensors against the table of their annotation.
#pragma once

#include <graphed/inputs.h>
#include <graphed/spec.h>
#include <graphed/stats.h>

#include <c10/core/Device.h>

#include <optional>
#include <string>

namespace graphed {

struct mismatch {
  miss reason;
  std::string parameter;  ///< "x", or "hs[1]"
  std::string expected;
  std::string got;
};

/// The first argument that does not fit, or nothing.
std::optional<mismatch> check(const callable_spec& spec, const inputs& inputs, c10::Device device, std::size_t alignment);

}  // namespace graphed
