// SPDX-License-Identifier: Apache-2.0
#include "call/module.h"

#include "torch/module_parts.h"

namespace graphed {

namespace {

template <class OnModule, class OnTensor>
void walk(const torch::nn::Module& module, OnModule&& on_module, OnTensor&& on_tensor) {
  on_module(module);
  for (const auto& parameter : parameters_of(module)) {
    on_tensor(parameter.value());
  }
  for (const auto& buffer : buffers_of(module)) {
    on_tensor(buffer.value());
  }
  for (const auto& child : children_of(module)) {
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

std::string watched_module::training_words() const {
  if (module_ == nullptr) {
    return "";
  }
  std::size_t all = 0, training = 0;
  walk(
      *module_,
      [&](const torch::nn::Module& module) {
        ++all;
        training += module.is_training() ? 1 : 0;
      },
      [](const at::Tensor&) {});
  if (training == all) {
    return "train";
  }
  return training == 0 ? "eval" : std::to_string(training) + " of " + std::to_string(all) + " modules train";
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
