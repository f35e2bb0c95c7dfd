// SPDX-License-Identifier: Apache-2.0
//
// What LibTorch's own modules compute with beside what they have registered.
#pragma once

#include <graphed/impl/watched.h>

#include <torch/nn/module.h>

namespace graphed::impl {

/// The options of a module of LibTorch's, and the tensors in its members, which may have been given others than it has registered. Nothing
/// of a module of any other class.
void visit_members_of_library(const torch::nn::Module& module, WatchedMembers& found);

}  // namespace graphed::impl
