// SPDX-License-Identifier: Apache-2.0
//
// Branches and loops of a graphed callable that a tensor's value decides, on the device.
#pragma once

#include <graphed/export.h>
#include <graphed/results.h>

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace graphed {

namespace impl {
GRAPHED_API tensor_list run_if_else(const at::Tensor& pred, c10::function_ref<tensor_list()> then,
                                    c10::function_ref<tensor_list()> otherwise);
GRAPHED_API tensor_list run_while_loop(c10::function_ref<at::Tensor(const tensor_list&)> cond,
                                       c10::function_ref<tensor_list(const tensor_list&)> body, tensor_list state, int64_t at_most);

template <class F>
tensor_list run_body(F& body) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    body();
    return {};
  } else {
    return graphed::pack(body());
  }
}
}  // namespace impl

/// Runs `then()` where the one element of `pred` is not zero, else `otherwise()`. In a graph the device decides, in each replay: the host
/// reads nothing. Elsewhere the host reads `pred`, which waits for the device.
///
/// Both bodies return the same: nothing, a Tensor, a std::vector of them, or a std::tuple, std::pair, std::array of nothing else. Their
/// results have equal shapes, strides, dtypes and devices; what is returned has memory of its own. The bodies may use and write tensors
/// from outside. What a body makes is used after it as its result alone.
///
/// A capture runs both bodies, one after the other, whatever `pred` is; of the one that was not to run, what operators have written is put
/// back. No capture is made where a body draws random numbers, has a host part or a collective, or reads a value on the host. Nor is one
/// where something uses a tensor that a body has made or was given after it, but for its results. Nor is one where a body changes the shape
/// of a tensor from outside, or writes one that a gradient goes through. A warning says so, and the original function runs.
///
/// It has gradients. In a graph, what only the other body uses gets a gradient of zeros, where an eager call gives none.
///
/// Throws graphed::Error where `pred` has not one element. What a body throws ends the call.
/// Thread safety: as of the callable. The bodies run on the calling thread.
template <class Then, class Otherwise>
auto if_else(const at::Tensor& pred, Then then, Otherwise otherwise) {
  using result = std::invoke_result_t<Then&>;
  static_assert(std::is_same_v<result, std::invoke_result_t<Otherwise&>>, "graphed::if_else: both bodies return the same type");
  static_assert(
      std::is_void_v<result> || is_packable<result>,
      "graphed::if_else: a body returns nothing, a torch::Tensor, a std::vector of them, or a std::tuple, std::pair or std::array "
      "of nothing else, by value");
  return unpack<result>(impl::run_if_else(pred, [&] { return impl::run_body(then); }, [&] { return impl::run_body(otherwise); }));
}

/// `state = body(state)` as long as the one element of `cond(state)` is not zero, at most `at_most` times; returns the last state. In a
/// graph the device decides, so that each replay may run it another number of times.
///
/// `State` is a Tensor, a std::vector of them, or a std::tuple, std::pair, std::array of nothing else. It is copied first: a body may write
/// it in place. The body's results have the shapes, strides, dtypes and devices of the state.
///
/// It has no gradient: where one would be needed, it throws graphed::Error. Its body is limited as one of if_else, and so is `cond`, which
/// writes nothing but what it has made.
/// Throws graphed::Error where a result is not like the state, the condition has not one element, or `at_most` is negative.
template <class Cond, class Body, class State>
State while_loop(Cond cond, Body body, State state, int64_t at_most) {
  static_assert(
      is_packable<State>,
      "graphed::while_loop: the state is a torch::Tensor, a std::vector of them, or a std::tuple, std::pair or std::array of nothing "
      "else");
  static_assert(std::is_invocable_v<Cond&, State> && std::is_invocable_v<Body&, State>,
                "graphed::while_loop: the condition and the body take one argument, the whole state, as a const std::pair<...>&");
  static_assert(std::is_convertible_v<std::invoke_result_t<Cond&, State>, at::Tensor>,
                "graphed::while_loop: the condition returns a torch::Tensor of one element, without item()");
  static_assert(std::is_convertible_v<std::invoke_result_t<Body&, State>, State>,
                "graphed::while_loop: the body returns what the state is");
  const auto unpacked = [](const tensor_list& tensors) { return unpack<State>(tensor_list(tensors)); };
  return unpack<State>(impl::run_while_loop([&](const tensor_list& now) -> at::Tensor { return cond(unpacked(now)); },
                                            [&](const tensor_list& now) { return pack(State(body(unpacked(now)))); },
                                            pack(std::move(state)), at_most));
}

}  // namespace graphed
