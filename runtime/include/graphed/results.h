// SPDX-License-Identifier: Apache-2.0
//
// A callable's result as a flat list of tensors, and back.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace graphed {

using tensor_list = std::vector<at::Tensor>;

/// A result's tensors in order: of a Tensor, a std::vector of them, or a std::tuple, std::pair or std::array of nothing else.
inline tensor_list pack(at::Tensor result) { return {std::move(result)}; }
inline tensor_list pack(tensor_list result) { return result; }
template <class Tuple>
tensor_list pack(const Tuple& result) {
  return std::apply([](const auto&... tensors) { return tensor_list{tensors...}; }, result);
}

namespace impl {
template <class Tuple, std::size_t... I>
Tuple tuple_of(tensor_list&& tensors, std::index_sequence<I...>) {
  return Tuple{std::move(tensors[I])...};
}
}  // namespace impl

/// The inverse of pack: `Result` may be void, Tensor, std::vector<Tensor>, and std::tuple, std::pair, std::array of tensors.
template <class Result>
Result unpack(tensor_list&& tensors) {
  if constexpr (std::is_void_v<Result>) {
    return;
  } else if constexpr (std::is_same_v<Result, at::Tensor>) {
    return std::move(tensors.front());
  } else if constexpr (std::is_same_v<Result, tensor_list>) {
    return std::move(tensors);
  } else {
    return impl::tuple_of<Result>(std::move(tensors), std::make_index_sequence<std::tuple_size_v<Result>>());
  }
}

}  // namespace graphed
