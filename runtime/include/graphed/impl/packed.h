// SPDX-License-Identifier: Apache-2.0
//
// The result of a captured callable as a flat list of tensors, and back: of any form that generated code can visit.
#pragma once

#include <graphed/impl/host_values.h>
#include <graphed/results.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace graphed::impl {

namespace detail {

/// Copies what std::unique_ptr owns, also within containers of the standard library.
template <class T>
struct Copy {
  static T of(const T& value) { return value; }
};
template <class T>
struct Copy<std::unique_ptr<T>> {
  static std::unique_ptr<T> of(const std::unique_ptr<T>& pointer) { return pointer ? std::make_unique<T>(Copy<T>::of(*pointer)) : nullptr; }
};
template <class T>
struct Copy<std::optional<T>> {
  static std::optional<T> of(const std::optional<T>& value) { return value ? std::optional<T>(Copy<T>::of(*value)) : std::nullopt; }
};
template <class T>
struct Copy<std::vector<T>> {
  static std::vector<T> of(const std::vector<T>& list) {
    std::vector<T> copy;
    copy.reserve(list.size());
    for (const T& element : list) {
      copy.push_back(Copy<T>::of(element));
    }
    return copy;
  }
};
template <class T, std::size_t N>
struct Copy<std::array<T, N>> {
  static std::array<T, N> of(const std::array<T, N>& list) {
    return std::apply([](const auto&... element) { return std::array<T, N>{Copy<T>::of(element)...}; }, list);
  }
};
template <class First, class Second>
struct Copy<std::pair<First, Second>> {
  static std::pair<First, Second> of(const std::pair<First, Second>& both) {
    return {Copy<First>::of(both.first), Copy<Second>::of(both.second)};
  }
};
template <class... T>
struct Copy<std::tuple<T...>> {
  static std::tuple<T...> of(const std::tuple<T...>& all) {
    return std::apply([](const T&... element) { return std::tuple<T...>(Copy<T>::of(element)...); }, all);
  }
};

}  // namespace detail

/// A result that is or holds a std::unique_ptr, kept for later calls: each gets a copy of what that owns.
template <class Result>
class Copied : public Result {
 public:
  Copied(Result&& made) noexcept : Result(std::move(made)) {}
  Copied(const Copied& other) : Result(detail::Copy<Result>::of(other)) {}
  Copied(Copied&&) noexcept = default;
  Copied& operator=(Copied&&) noexcept = default;
};

/// A result's tensors, and those that its numbers were read of, which `visit` visits.
template <class Result, class Visit>
tensor_list pack(const Result& result, const Visit& visit) {
  ResultTensors tensors;
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

/// The same, and keeps the form of a capture's result: what is left of it without its tensors and numbers.
template <class F, class Visit, class Result>
tensor_list packed(F&& f, const Visit& visit, std::shared_ptr<const Result>& form) {
  auto result = std::make_shared<Result>(f());
  tensor_list tensors = impl::pack(*result, visit);
  if (is_compared()) {
    return tensors;
  }
  const tensor_list none(tensors.size());
  ResultForm clear(tensors, none);
  visit(clear, *result);
  form = std::move(result);
  return tensors;
}

/// A result of this form, of these tensors. Waits for the device where it has numbers.
template <class Result, class Visit>
Result unpack(const Result& form, const Visit& visit, const tensor_list& tensors) {
  Result result = form;
  ResultRefill fill(tensors);
  visit(fill, result);
  return result;
}
template <class Result, class Visit>
Result unpack(const Copied<Result>& form, const Visit& visit, const tensor_list& tensors) {
  Copied<Result> result = form;
  ResultRefill fill(tensors);
  visit(fill, result);
  return std::move(result);
}

}  // namespace graphed::impl
