// SPDX-License-Identifier: Apache-2.0
//
// The sizes that an annotation has graphs for.
#pragma once

#include "plan/Plan.h"

#include "annotation/Evaluate.h"

namespace graphgen::plan {

/// A value of each dimension variable but open ones.
using Size = annotation::Constants;

/// Each combination, ascending, the last variable varying first. Without variables, one that is empty.
inline std::vector<Size> sizesOf(const Samples& Samples) { return annotation::combinations(Samples.Variables); }

/// What stands for an open variable, by its name: arithmetic on other ones.
using OpenSizes = std::map<std::string, std::string>;

/// Each variable that is open, as itself.
OpenSizes openSizesOf(const Samples& Set);

/// Each an integer, or arithmetic on open variables; nothing where an extent is not arithmetic, or has no value.
std::optional<std::vector<std::string>> extentsAt(const Tensor& Tensor, const Size& At, const OpenSizes& Open);

/// Nothing where it is not an integer.
std::optional<int64_t> numberIn(llvm::StringRef Extent);

/// "f32[64, 8]"
std::string typeAndShape(annotation::DType Type, llvm::ArrayRef<std::string> Extents);
std::string typeAndShape(const Samples& Set, const Tensor& Tensor, const Size& At);

/// "B = 64, T = 8"; empty without any.
std::string textOf(const Size& At);

}  // namespace graphgen::plan
