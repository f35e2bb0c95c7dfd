// SPDX-License-Identifier: Apache-2.0
#include "torch/module_parts.h"

#include "torch/private_member.h"

namespace graphed::impl {

struct module_parameters : member_of<torch::nn::Module, named_tensors> {
  friend pointer pointer_to(module_parameters);
};
struct module_buffers : member_of<torch::nn::Module, named_tensors> {
  friend pointer pointer_to(module_buffers);
};
struct module_children : member_of<torch::nn::Module, named_modules> {
  friend pointer pointer_to(module_children);
};
template struct opened<module_parameters, &torch::nn::Module::parameters_>;
template struct opened<module_buffers, &torch::nn::Module::buffers_>;
template struct opened<module_children, &torch::nn::Module::children_>;

const named_tensors& parameters_of(const torch::nn::Module& module) { return module.*pointer_to(module_parameters()); }
const named_tensors& buffers_of(const torch::nn::Module& module) { return module.*pointer_to(module_buffers()); }
const named_modules& children_of(const torch::nn::Module& module) { return module.*pointer_to(module_children()); }

}  // namespace graphed::impl
