// SPDX-License-Identifier: Apache-2.0
//
// The plan of one callable.
#pragma once

#include "plan/Plan.h"

namespace graphgen::plan {

/// Of those of `Callables` that are one callable's annotations, which agree. Without its identifier, which depends on the file's other
/// callables.
Callable planCallable(llvm::ArrayRef<annotation::Callable> Callables, llvm::ArrayRef<std::size_t> Group);

}  // namespace graphgen::plan
