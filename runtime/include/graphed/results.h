// SPDX-License-Identifier: Apache-2.0
//
// A callable's result as a flat list of tensors, and back.
#pragma once

#include <graphed/inputs.h>
#include <graphed/refill.h>

#include <array>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace graphed {

/// A result's tensors in order: of a Tensor, a std::vector of them, or a std::tuple, std::pair or std::array of nothing else.
inline tensor_list pack(at::Tensor result) { return {std::move(result)}; }
inline tensor_list pack(tensor_list result) { return result; }
template <class Tuple>
tensor_list pack(const Tuple& result) {
  return std::apply([](const auto&... tensors) { return tensor_list{tensors...}; }, result);
}

/// The same of any other result, whose tensors `visit` visits: generated code.
template <class Result, class Visit>
tensor_list pack(const Result& result, const Visit& visit) {
  inputs tensors;
  visit(tensors, result);
  return tensors.tensors().vec();
}

/// Calls `f` and packs what it returns; nothing for void.
template <class F>
tensor_list packed(F&& f) {
  if constexpr (std::is_void_v<decltype(f())>) {
    f();
    return {};
  } else {
    return graphed::pack(f());
  }
}

/// Likewise, and keeps the result's form: what is left of it without its tensors.
template <class F, class Visit, class Result>
tensor_list packed(F&& f, const Visit& visit, std::shared_ptr<const Result>& form) {
  auto result = std::make_shared<Result>(f());
  tensor_list tensors = graphed::pack(*result, visit);
  const tensor_list none(tensors.size());
  refill clear(none);
  visit(clear, *result);
  form = std::move(result);
  return tensors;
}

namespace detail {
template <class Tuple, std::size_t... I>
Tuple tuple_of(tensor_list&& tensors, std::index_sequence<I...>) {
  return Tuple{std::move(tensors[I])...};
}
}  // namespace detail

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
    return detail::tuple_of<Result>(std::move(tensors), std::make_index_sequence<std::tuple_size_v<Result>>());
  }
}

/// A result of this form, of these tensors.
template <class Result, class Visit>
Result unpack(const Result& form, const Visit& visit, const tensor_list& tensors) {
  Result result = form;
  refill fill(tensors);
  visit(fill, result);
  return result;
}

}  // namespace graphed
