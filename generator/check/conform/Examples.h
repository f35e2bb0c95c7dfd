// SPDX-License-Identifier: Apache-2.0
//
// What an annotation could say.
#pragma once

#include "annotation/Bound.h"

namespace graphgen::check {

/// Of the type: "f32[64, 128]", "{obs: f32[64, 128], causal: key}", "key * 3".
std::string exampleOf(const annotation::Bound& B);

}  // namespace graphgen::check
