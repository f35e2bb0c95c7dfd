// SPDX-License-Identifier: Apache-2.0
//
// graphed::callable<&f>: the graphed form of an annotated function or method, specialised by the code that graphgen generates.
#pragma once

#include <graphed/annotate.h>

#include <cstddef>
#include <tuple>

namespace graphed {

/// What a pointer to a function or method returns, takes and belongs to.
template <class Pointer>
struct signature;

#if defined(GRAPHGEN_SCAN)
// The glue is still to be generated: until then a use has its type and no more. The compiler sees the template of annotate.h.
template <auto Function>
class callable {
 public:
  template <class... Arguments>
  explicit callable(Arguments&&...);
  template <class... Arguments>
  typename signature<decltype(Function)>::result operator()(Arguments&&...);
};
#endif

namespace detail {
template <class Signature>
struct select_overload;
#define GRAPHED_SELECT_METHOD(qualifiers)                              \
  template <class R, class... A>                                       \
  struct select_overload<R(A...) qualifiers> {                         \
    template <class C>                                                 \
    constexpr auto operator()(R (C::*method)(A...) qualifiers) const { \
      return method;                                                   \
    }                                                                  \
  };
GRAPHED_SELECT_METHOD(const)
GRAPHED_SELECT_METHOD(&)
GRAPHED_SELECT_METHOD(const&)
#undef GRAPHED_SELECT_METHOD
template <class R, class... A>
struct select_overload<R(A...)> {
  constexpr auto operator()(R (*function)(A...)) const { return function; }
  template <class C>
  constexpr auto operator()(R (C::*method)(A...)) const {
    return method;
  }
};
}  // namespace detail

/// Names one of an overload set: callable<graphed::overload<R(Args...)>(&f)>, callable<graphed::overload<R(Args...) const>(&C::f)>.
template <class Signature>
inline constexpr detail::select_overload<Signature> overload{};

#define GRAPHED_SIGNATURE(qualifiers)                           \
  template <class R, class C, class... A>                       \
  struct signature<R (C::*)(A...) qualifiers> {                 \
    using result = R;                                           \
    using object = C;                                           \
    template <std::size_t I>                                    \
    using argument = std::tuple_element_t<I, std::tuple<A...>>; \
  };
GRAPHED_SIGNATURE()
GRAPHED_SIGNATURE(const)
GRAPHED_SIGNATURE(&)
GRAPHED_SIGNATURE(const&)
GRAPHED_SIGNATURE(noexcept)
GRAPHED_SIGNATURE(const noexcept)
GRAPHED_SIGNATURE(& noexcept)
GRAPHED_SIGNATURE(const& noexcept)
#undef GRAPHED_SIGNATURE

template <class R, class... A>
struct signature<R (*)(A...)> {
  using result = R;
  template <std::size_t I>
  using argument = std::tuple_element_t<I, std::tuple<A...>>;
};
template <class R, class... A>
struct signature<R (*)(A...) noexcept> : signature<R (*)(A...)> {};

}  // namespace graphed
