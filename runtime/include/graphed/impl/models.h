// SPDX-License-Identifier: Apache-2.0
//
// Models that a member of an object may hold, as a call looks at them: a script, or what runs a model that AOTInductor has compiled. Known
// by what they can do, so that their headers are included by those alone who use them.
#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace c10::ivalue {
struct Object;
}

namespace graphed::impl::detail {

/// torch::jit::Module.
template <class T, class = void>
inline constexpr bool is_script = false;
template <class T>
inline constexpr bool is_script<T, std::void_t<decltype(std::declval<const T&>()._ivalue()->slots())>> = true;
/// torch::inductor::AOTIModelPackageLoader, or one of AOTInductor's runners.
template <class T, class = void>
inline constexpr bool is_compiled = false;
template <class T>
inline constexpr bool is_compiled<T, std::void_t<decltype(std::declval<T&>().get_call_spec())>> = true;

/// A script that has not been loaded throws.
template <class Script>
const c10::ivalue::Object* object_of(const Script& script) {
  try {
    return script._ivalue().get();
  } catch (const std::exception&) {
    return nullptr;
  }
}

template <class T, class = void>
inline constexpr bool has_runner = false;
template <class T>
inline constexpr bool has_runner<T, std::void_t<decltype(std::declval<T&>().get_runner())>> = true;
/// Of a loader, its model's.
template <class Model>
const auto& runner_of(const Model& model) {
  if constexpr (has_runner<Model>) {
    return *const_cast<Model&>(model).get_runner();
  } else {
    return model;
  }
}

/// The function of the model's library that a runner calls: it has one for several threads, and one for a single thread. Null where
/// LibTorch names it otherwise.
template <class Runner>
struct run_function : Runner {
  template <class Self = run_function>
  static auto of(const Runner& runner, int) -> decltype(reinterpret_cast<const void*>(runner.*(&Self::run_func_))) {
    return reinterpret_cast<const void*>(runner.*(&Self::run_func_));
  }
  static const void* of(const Runner& /*runner*/, long) { return nullptr; }
};

}  // namespace graphed::impl::detail
