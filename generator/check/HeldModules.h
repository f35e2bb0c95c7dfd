// SPDX-License-Identifier: Apache-2.0
//
// The program's own modules in LibTorch's containers, which hold them without their types.
#pragma once

#include "check/UnitIndex.h"

#include <vector>

namespace graphgen::check {

/// Where S runs a torch::nn::Sequential or AnyModule: the `forward` of the modules that it is seen to be made of.
std::vector<const clang::FunctionDecl*> forwardsWithin(const clang::Stmt& S, const UnitIndex& Index);

}  // namespace graphgen::check
