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

namespace impl {
template <class T, class = void>
struct are_tensors : std::is_same<T, at::Tensor> {};
template <>
struct are_tensors<tensor_list> : std::true_type {};
template <template <class...> class Tuple, class... T>
struct are_tensors<Tuple<T...>, std::void_t<decltype(std::tuple_size<Tuple<T...>>::value)>>
    : std::conjunction<std::is_same<T, at::Tensor>...> {};
template <std::size_t count>
struct are_tensors<std::array<at::Tensor, count>> : std::true_type {};
}  // namespace impl

/// Whether pack takes it.
template <class Result>
inline constexpr bool is_packable = impl::are_tensors<Result>::value;

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
