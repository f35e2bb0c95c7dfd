// SPDX-License-Identifier: Apache-2.0
//
// Host code inside a graphed callable, between two pieces of its graph.
#pragma once

#include <graphed/export.h>
#include <graphed/results.h>
#include <graphed/scalar.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace graphed {

namespace impl {
GRAPHED_API tensor_list run_host_part(std::function<tensor_list()> part, bool has_results);
GRAPHED_API Scalar run_host_part(std::function<c10::Scalar()> part);
}  // namespace impl

/// Runs `part()` on the host, in an eager call and in every replay: what a graph cannot hold, as item(), print, cpu() or a decision on a
/// tensor's value. A replay launches what was captured before it, runs it, then launches what was captured after it.
///
/// `part` is copied, and called after the callable has returned: capture by value, `[=]`; what it reaches by pointer or reference must
/// outlive the callable's captures. A tensor of the callable that it captures holds, in each call, the value of that call. A number, or a
/// tensor that was there before the call, is that of the capture. It must not write an argument of the callable, nor draw from a GPU's
/// random generator: no capture is made then, and a warning says so.
///
/// Returns what `part` returns: nothing, a Tensor, a std::vector of them, or a std::tuple, std::pair, std::array of nothing else. They are
/// dense, on the device of the callable. Of a number (bool, integer, floating-point) it returns a Scalar, which the code after it reads as
/// a tensor. The results have the same shapes, strides and dtypes in each call of one key; a replay throws graphed::Error otherwise. They
/// have no history: `part` runs without gradients and without autocast, on the current stream. It waits for the device where it reads a
/// value.
///
/// What `part` throws ends the call, as in an eager one; what came after it has not run. `part` may call other graphed callables.
/// Thread safety: as of the callable. Outside of a callable, and in a CPU tensor's, the same, without a graph.
template <class F>
auto host(F part) {
  using result = std::invoke_result_t<F&>;
  if constexpr (std::is_arithmetic_v<result>) {
    using number =
        std::conditional_t<std::is_floating_point_v<result>, double, std::conditional_t<std::is_same_v<result, bool>, bool, int64_t>>;
    return impl::run_host_part([part = std::move(part)]() mutable { return c10::Scalar(static_cast<number>(part())); });
  } else if constexpr (std::is_void_v<result>) {
    impl::run_host_part(
        [part = std::move(part)]() mutable {
          part();
          return tensor_list();
        },
        /*has_results=*/false);
  } else {
    static_assert(
        is_packable<result>,
        "graphed::host: a host part returns nothing, a number, a torch::Tensor, a std::vector of them, or a std::tuple, std::pair "
        "or std::array of nothing else, by value");
    return unpack<result>(impl::run_host_part([part = std::move(part)]() mutable { return pack(part()); }, /*has_results=*/true));
  }
}

}  // namespace graphed
