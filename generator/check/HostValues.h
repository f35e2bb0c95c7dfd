// SPDX-License-Identifier: Apache-2.0
//
// Tensors that a callable makes on the host of shapes and constants: each call makes the same, and the host has their values.
#pragma once

#include "check/CaptureCheck.h"
#include "check/code/TensorCalls.h"

namespace graphgen::check {

/// Whether each tensor of the call is certainly such a one: torch::linspace(0, 1, 5)[i].item<float>().
bool readsOnlyHost(const TensorCall& Read, const Place& At);

/// Whether the call makes such a one for a local variable of the body, whose values are read as numbers and which nothing else mentions.
bool makesTableOfNumbers(const clang::CallExpr& Made, const Place& At);

}  // namespace graphgen::check
