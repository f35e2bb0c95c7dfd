// SPDX-License-Identifier: Apache-2.0
#include <graphed/impl/host_forms.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>
#include <typeinfo>

#include <dlfcn.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace graphed::impl::detail {
namespace {

/// The C++ library's operator new takes memory from malloc. A program may have one of its own, which does anything.
[[maybe_unused]] bool is_new_of_library() {
  void* (*const function)(std::size_t) = &::operator new;
  Dl_info found{};
  return dladdr(reinterpret_cast<const void*>(function), &found) != 0 && found.dli_fname != nullptr &&
         std::string_view(found.dli_fname).find("libstdc++") != std::string_view::npos;
}

}  // namespace

// "Z4mainEUlvE_" of GCC and of Clang, and Clang's "Z4mainE3$_0" where nothing outside of the file can name it.
bool is_lambda(const std::type_info& type) {
  const std::string_view name = type.name();
  return (name.find("Ul") != std::string_view::npos && name.back() == '_') || name.find("$_") != std::string_view::npos;
}

std::string_view bytes_of_lambda([[maybe_unused]] const void* lambda) {
#ifdef __GLIBC__
  constexpr std::size_t most_bytes = 256;
  static const bool is_of_malloc = is_new_of_library();
  if (is_of_malloc) {
    return {static_cast<const char*>(lambda), std::min(malloc_usable_size(const_cast<void*>(lambda)), most_bytes)};
  }
#endif
  return {};
}

}  // namespace graphed::impl::detail
