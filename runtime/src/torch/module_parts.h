// SPDX-License-Identifier: Apache-2.0
//
// What a module itself has, without the copies that its accessors make of each list.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>

namespace graphed::impl {

using named_tensors = torch::OrderedDict<std::string, at::Tensor>;
using named_modules = torch::OrderedDict<std::string, std::shared_ptr<torch::nn::Module>>;

const named_tensors& parameters_of(const torch::nn::Module& module);
const named_tensors& buffers_of(const torch::nn::Module& module);
const named_modules& children_of(const torch::nn::Module& module);

}  // namespace graphed::impl
