// SPDX-License-Identifier: Apache-2.0
//
// Declares what scans see of the runtime's graphed/host.h, without LibTorch.
#pragma once

#include <graphed/scalar.h>

#include <type_traits>

namespace graphed {
template <class F>
auto host(F part) {
  using result = decltype(part());
  if constexpr (std::is_arithmetic_v<result>) {
    return Scalar(part());
  } else if constexpr (!std::is_void_v<result>) {
    return part();
  }
}
}  // namespace graphed
