// SPDX-License-Identifier: Apache-2.0
//
// How messages name dtypes and tensors: as annotations do.
#pragma once

#include <graphed/impl/spec.h>

#include <c10/core/ScalarType.h>

#include <string>

namespace graphed::impl {

/// "f32". A dtype that cannot be annotated has LibTorch's name.
std::string annotated(c10::ScalarType dtype);
/// "x: f32[64, 784] grad"
std::string annotated(const TensorSpec& tensor);

}  // namespace graphed::impl
