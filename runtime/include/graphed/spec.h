// SPDX-License-Identifier: Apache-2.0
//
// What generated code says of a callable, laid out at compile time: the table that every call is checked against.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>

namespace graphed {

/// How long a returned tensor stays valid.
enum class output_policy {
  keep,   ///< as long as the caller holds it: its bytes move to fresh memory before a replay would overwrite them
  alias,  ///< until the next call: it shows the graph's own memory
  clone,  ///< as long as the caller holds it: copied on each call
};

/// One tensor of a call.
struct tensor_spec {
  const char* name;  ///< "obs", or "hs[1]" for a list's element
  c10::ScalarType dtype;
  c10::ArrayRef<int64_t> shape;  ///< contiguous, in elements
  bool grad = false;             ///< requires grad
  bool inplace = false;          ///< the callable writes it; the caller's tensor gets the result
};

/// One parameter of the callable that holds tensors: `count` consecutive entries of callable_spec::tensors.
struct parameter_spec {
  const char* name;
  int64_t count = 1;
};

struct callable_spec {
  const char* name;  ///< "app::policy"
  const char* file;  ///< the file of the annotation, as given to graphgen
  int line;
  c10::ArrayRef<parameter_spec> parameters;
  c10::ArrayRef<tensor_spec> tensors;
  int warmup = 3;  ///< calls of each key (modes and the values of `key` scalars) that run plainly before its first capture
  output_policy outputs = output_policy::keep;
  bool strict = false;  ///< a guard's miss or a failed capture throws instead of running the plain callable
};

}  // namespace graphed
