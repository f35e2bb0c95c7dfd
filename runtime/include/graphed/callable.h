// SPDX-License-Identifier: Apache-2.0
//
// graphed::callable<&f>: the graphed form of an annotated function or method, specialised by the code that graphgen generates.
#pragma once

#include <graphed/access.h>
#include <graphed/annotate.h>
#include <graphed/impl/signature.h>

namespace graphed {

#if defined(GRAPHGEN_SCAN)
// The glue is still to be generated: until then a use has its type and no more. The compiler sees the template of annotate.h.
template <auto Function>
class callable {
 public:
  template <class... Arguments>
  explicit callable(Arguments&&...);
  template <class... Arguments>
  typename impl::Signature<decltype(Function)>::result operator()(Arguments&&...) const;
};
#endif

namespace impl {
template <class Signature>
struct select_overload;
#define GRAPHED_SELECT_METHOD(qualifiers)                                       \
  template <class R, class... A>                                                \
  struct select_overload<R(A...) qualifiers> {                                  \
    template <class C>                                                          \
    constexpr auto operator()(R (C::*method)(A...) qualifiers) const {          \
      return method;                                                            \
    }                                                                           \
    template <class C>                                                          \
    constexpr auto operator()(R (C::*method)(A...) qualifiers noexcept) const { \
      return method;                                                            \
    }                                                                           \
  };
GRAPHED_SELECT_METHOD(const)
GRAPHED_SELECT_METHOD(&)
GRAPHED_SELECT_METHOD(const&)
#undef GRAPHED_SELECT_METHOD
template <class R, class... A>
struct select_overload<R(A...)> {
  constexpr auto operator()(R (*function)(A...)) const { return function; }
  constexpr auto operator()(R (*function)(A...) noexcept) const { return function; }
  template <class C>
  constexpr auto operator()(R (C::*method)(A...)) const {
    return method;
  }
  template <class C>
  constexpr auto operator()(R (C::*method)(A...) noexcept) const {
    return method;
  }
};
}  // namespace impl

/// Names one of an overload set: callable<graphed::overload<R(Args...)>(&f)>, callable<graphed::overload<R(Args...) const>(&C::f)>. It is
/// the pointer that &f is where f is the only one of its name, noexcept if f is.
template <class Signature>
inline constexpr impl::select_overload<Signature> overload{};

}  // namespace graphed
