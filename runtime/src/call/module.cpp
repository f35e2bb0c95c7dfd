// SPDX-License-Identifier: Apache-2.0
#include "call/module.h"

#include "torch/private_member.h"

#include <torch/nn/module.h>

namespace graphed {

// Its accessors make copies of every list.
struct module_parameters : member_of<torch::nn::Module, torch::OrderedDict<std::string, at::Tensor>> {
  friend pointer pointer_to(module_parameters);
};
struct module_buffers : member_of<torch::nn::Module, torch::OrderedDict<std::string, at::Tensor>> {
  friend pointer pointer_to(module_buffers);
};
struct module_children : member_of<torch::nn::Module, torch::OrderedDict<std::string, std::shared_ptr<torch::nn::Module>>> {
  friend pointer pointer_to(module_children);
};
template struct opened<module_parameters, &torch::nn::Module::parameters_>;
template struct opened<module_buffers, &torch::nn::Module::buffers_>;
template struct opened<module_children, &torch::nn::Module::children_>;

namespace {

template <class OnModule, class OnTensor>
void walk(const torch::nn::Module& module, OnModule&& on_module, OnTensor&& on_tensor) {
  on_module(module);
  for (const auto& parameter : module.*pointer_to(module_parameters())) {
    on_tensor(parameter.value());
  }
  for (const auto& buffer : module.*pointer_to(module_buffers())) {
    on_tensor(buffer.value());
  }
  for (const auto& child : module.*pointer_to(module_children())) {
    walk(*child.value(), on_module, on_tensor);
  }
}

}  // namespace

void watched_module::append_key(key_bytes& key, tensor_identities& tensors) const {
  if (module_ == nullptr) {
    return;
  }
  walk(
      *module_, [&](const torch::nn::Module& module) { key.push_back(module.is_training() ? 't' : 'e'); },
      [&](const at::Tensor& tensor) {
        key.push_back(tensor.defined() && tensor.requires_grad() ? 'g' : '-');
        if (tensor.defined()) {
          tensors.push_back(tensor.unsafeGetTensorImpl());
        }
      });
}

std::optional<c10::Device> watched_module::device() const {
  std::optional<c10::Device> found;
  if (module_ != nullptr) {
    walk(
        *module_, [](const torch::nn::Module&) {},
        [&](const at::Tensor& tensor) {
          if (!found && tensor.defined()) {
            found = tensor.device();
          }
        });
  }
  return found;
}

std::vector<at::Tensor> watched_module::tensors() const {
  std::vector<at::Tensor> found;
  if (module_ == nullptr) {
    return found;
  }
  walk(
      *module_, [](const torch::nn::Module&) {},
      [&](const at::Tensor& tensor) {
        if (tensor.defined()) {
          found.push_back(tensor);
        }
      });
  return found;
}

}  // namespace graphed
