// SPDX-License-Identifier: Apache-2.0
//
// What the tests of other libraries' operators share.
#pragma once

#include "device_test.h"

#include <torch/library.h>

#include <cstdint>
#include <utility>

namespace graphed::testing {

/// Calls an operator by its name, "library::operator", whose kernels have this signature.
template <class Signature, class... Arguments>
auto call_library(const char* name, Arguments&&... arguments) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").template typed<Signature>().call(std::forward<Arguments>(arguments)...);
}

/// Registers a kernel for both devices.
template <class Kernel>
void register_kernel(torch::Library& library, const char* name, Kernel* kernel) {
  for (const auto key : {c10::DispatchKey::CPU, c10::DispatchKey::CUDA}) {
    library.impl(name, torch::dispatch(key, kernel));
  }
}

/// Eight numbers, so many of which are positive.
inline at::Tensor with_positives(const scenario& run, int64_t count) {
  return at::cat({at::rand({count}, run.options()) + 0.5, -at::rand({8 - count}, run.options())});
}

}  // namespace graphed::testing
