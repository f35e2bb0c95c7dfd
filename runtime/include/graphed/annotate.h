// SPDX-License-Identifier: Apache-2.0
//
// GRAPHED(arguments; options): marks a callable for graphgen. The compiler ignores it.
// GRAPHED_FOR(&lib::f, arguments; options): marks one whose declaration is not yours. Use it at namespace scope, with a ';' after it.
// The language is described in docs/reference/annotations.md.
#pragma once

#if defined(GRAPHGEN_SCAN)
#define GRAPHED(...) __attribute__((annotate("graphed", #__VA_ARGS__)))
#define GRAPHED_FOR(function, ...) GRAPHED_IMPL_FOR(__COUNTER__, function, #__VA_ARGS__)
#define GRAPHED_IMPL_FOR(number, function, text) GRAPHED_IMPL_NAMED(number, function, text)
#define GRAPHED_IMPL_NAMED(number, function, text) \
  __attribute__((annotate("graphed", text))) static constexpr auto graphed_impl_for_##number = function
#else
#define GRAPHED(...)
#define GRAPHED_FOR(...) static_assert(true, "")
#endif

#if defined(__cplusplus)
namespace graphed {
struct access;  // the friend of a class whose private methods are annotated
}
#endif

#if !defined(GRAPHGEN_SCAN) && defined(__cpp_nontype_template_parameter_auto)
namespace graphed {

namespace impl {
template <auto>
inline constexpr bool never = false;
}  // namespace impl

// Specialised by the code that graphgen generates; callable.h says more.
template <auto Function>
class callable {
  static_assert(impl::never<Function>,
                "graphed::callable: no glue was generated for this callable. Annotate its declaration with GRAPHED(...), pass the file to "
                "add_graphed_target(<target> SOURCES <file>) in CMake, or run `graphgen <file>`, and include \"<stem>.graphed.h\" before "
                "this use.");
};

}  // namespace graphed
#endif
