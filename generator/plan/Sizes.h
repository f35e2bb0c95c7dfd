// SPDX-License-Identifier: Apache-2.0
//
// The sizes that an annotation has graphs for.
#pragma once

#include "plan/Plan.h"

#include "annotation/Evaluate.h"

namespace graphgen::plan {

/// A value of each dimension variable.
using Size = annotation::Constants;

/// Each combination, ascending, the last variable varying first. Without variables, one that is empty.
inline std::vector<Size> sizesOf(const Samples& Samples) { return annotation::combinations(Samples.Variables); }

/// Of a shape as a plan spells it; nothing where an extent is no arithmetic, or has no value.
std::optional<std::vector<int64_t>> shapeAt(const Tensor& Tensor, const Size& At);

/// "f32[64, 8]"
std::string typeAndShape(annotation::DType Type, llvm::ArrayRef<int64_t> Shape);

/// "B = 64, T = 8"; empty without variables.
std::string textOf(const Size& At);

}  // namespace graphgen::plan
