// SPDX-License-Identifier: Apache-2.0
//
// The parts of a callable's type.
#pragma once

#include <cstddef>
#include <tuple>

namespace graphed::impl {

/// What a pointer to a function or method returns, takes and belongs to.
template <class Pointer>
struct Signature;

#define GRAPHED_SIGNATURE(qualifiers)                           \
  template <class R, class C, class... A>                       \
  struct Signature<R (C::*)(A...) qualifiers> {                 \
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
struct Signature<R (*)(A...)> {
  using result = R;
  template <std::size_t I>
  using argument = std::tuple_element_t<I, std::tuple<A...>>;
};
template <class R, class... A>
struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};

}  // namespace graphed::impl
