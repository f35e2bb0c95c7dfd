// SPDX-License-Identifier: Apache-2.0
//
// The forms of what an object may hold in the host's memory, distinguished by what a type can do, so that their headers are included by those
// alone who use them.
#pragma once

#include <graphed/export.h>

#include <c10/core/Scalar.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>

namespace torch::nn {
class Module;
}

namespace graphed::impl::detail {

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
inline constexpr bool is_text = std::is_convertible_v<const T&, std::string_view> && !std::is_pointer_v<T> && !std::is_array_v<T>;
template <class T>
inline constexpr bool is_text_of_c = std::is_same_v<T, const char*>;
template <class T>
inline constexpr bool is_any_number = std::is_same_v<T, c10::Scalar>;

template <class T>
inline constexpr bool is_module = std::is_convertible_v<const T*, const torch::nn::Module*>;
template <class T, class = void>
inline constexpr bool is_module_holder = false;
template <class T>
inline constexpr bool
    is_module_holder<T, std::void_t<decltype(std::declval<const T&>().is_empty()), decltype(std::declval<const T&>().ptr())>> = true;
template <class T, class = void>
inline constexpr bool is_atomic = false;
template <class T>
inline constexpr bool is_atomic<T, std::void_t<decltype(std::declval<const T&>().load())>> = true;
template <class T>
inline constexpr bool is_reference_wrapper = false;
template <class T>
inline constexpr bool is_reference_wrapper<std::reference_wrapper<T>> = true;
template <class T, class = void>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<T, std::void_t<typename T::mapped_type>> = true;
template <class T, class = void>
inline constexpr bool is_weak = false;
template <class T>
inline constexpr bool is_weak<T, std::void_t<decltype(std::declval<const T&>().lock())>> = true;
template <class T>
inline constexpr bool is_shared_pointer = false;
template <class T>
inline constexpr bool is_shared_pointer<std::shared_ptr<T>> = true;
template <class T>
inline constexpr bool is_unique_pointer = false;
template <class T, class Deleter>
inline constexpr bool is_unique_pointer<std::unique_ptr<T, Deleter>> = true;
template <class T, class = void>
inline constexpr bool knows_owners = false;
template <class T>
inline constexpr bool knows_owners<T, std::void_t<decltype(std::weak_ptr<const void>(std::declval<const T&>().weak_from_this()))>> = true;
template <class T, class = void>
inline constexpr bool is_range = false;
template <class T>
inline constexpr bool is_range<T, std::void_t<decltype(std::begin(std::declval<const T&>()))>> = true;
template <class T, class = void>
inline constexpr bool is_tuple = false;
template <class T>
inline constexpr bool is_tuple<T, std::void_t<decltype(std::tuple_size<T>::value)>> = !is_range<T>;
template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;
template <class T, class = void>
inline constexpr bool is_pointer_like = false;
template <class T>
inline constexpr bool is_pointer_like<T, std::void_t<decltype(*std::declval<const T&>())>> = std::is_constructible_v<bool, const T&>;

/// What WatchedMembers::each() follows.
template <class T>
inline constexpr bool is_holder =
    is_range<T> || is_tuple<T> || is_variant<T> || is_reference_wrapper<T> || is_weak<T> || is_pointer_like<T>;

/// A long double's bytes are not all a part of its value.
template <class T>
inline constexpr bool has_value_in_all_bytes = is_number<T> && !std::is_same_v<T, long double>;

/// The elements of a range. Those of a std::vector<bool> are shown by another class.
template <class T, class = void>
struct elements {
  using type = std::decay_t<decltype(*std::begin(std::declval<const T&>()))>;
};
template <class T>
struct elements<T, std::void_t<typename T::value_type>> {
  using type = typename T::value_type;
};
template <class T>
using element_type = typename elements<T>::type;

/// Only numbers, one after the other.
template <class T, bool = is_range<T> && !is_map<T>>
inline constexpr bool is_row = false;
template <class T>
inline constexpr bool is_row<T, true> = has_value_in_all_bytes<element_type<T>>;
template <class T, class = void>
inline constexpr bool is_contiguous = false;
template <class T>
inline constexpr bool is_contiguous<T, std::void_t<decltype(std::data(std::declval<const T&>()))>> = true;

/// The place of numbers that are copied one behind the other.
struct row_of_numbers {
  explicit row_of_numbers(char* begin) : next(begin) {}
  template <class T>
  void value(const T& number) {
    std::memcpy(next, &number, sizeof number);
    next += sizeof number;
  }
  template <class T>
  void enter() {
    is_of_module |= is_module<T>;
  }

  char* next;
  bool is_of_module = false;
};

/// std::function: which function it holds, and the small values that this has captured, are in its bytes; others are outside.
template <class T, class = void>
inline constexpr bool is_function_holder = false;
template <class T>
inline constexpr bool is_function_holder<T, std::void_t<typename T::result_type, decltype(std::declval<const T&>().target_type())>> = true;

/// By the name that the ABI of Itanium gives it. A lambda has no operator new of its own.
GRAPHED_API bool is_lambda(const std::type_info& type);
/// The lambda that a std::function calls, where that is outside of the function; null where it calls something else, or nobody knows.
template <class T>
const void* lambda_outside(const T& function) {
#ifdef __GLIBCXX__
  if constexpr (std::is_base_of_v<std::_Function_base, T>) {
    const auto& base = (const std::_Function_base&)function;  // NOLINT: of a private base
    if (base._M_manager == nullptr) {
      return nullptr;
    }
    std::_Any_data found{};
    base._M_manager(found, base._M_functor, std::__get_functor_ptr);
    const void* const called = found._M_access<const void*>();
    const bool is_inside = std::less_equal<>()(&function, called) && std::less<>()(called, &function + 1);
    return is_inside || !is_lambda(function.target_type()) ? nullptr : called;
  }
#endif
  return nullptr;
}
/// The bytes of such a lambda, or empty where memory does not tell its size. There are at most 256, perhaps more than it has: these stay as
/// they are while it lives.
GRAPHED_API std::string_view bytes_of_lambda(const void* lambda);

/// What its bytes are all of: a complex number, a device, a std::bitset, a duration, a union, or which function a pointer leads to. Bytes
/// of padding, where it has any, make two equal values differ at the worst.
template <class T>
inline constexpr bool is_plain =
    ((std::is_class_v<T> || std::is_union_v<T>) && std::is_trivially_copyable_v<T> && !is_range<T> && !is_tuple<T> &&
     !is_reference_wrapper<T> && !is_pointer_like<T> && !is_variant<T>) ||
    is_function_holder<T> || std::is_member_pointer_v<T> || (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>);

}  // namespace graphed::impl::detail
