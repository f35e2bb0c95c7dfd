// SPDX-License-Identifier: Apache-2.0
#include "module.h"

#include <torch/nn/module.h>

namespace graphed {
namespace {

template <class OnModule, class OnTensor>
void walk(const torch::nn::Module& module, OnModule&& on_module, OnTensor&& on_tensor) {
  on_module(module);
  for (const at::Tensor& parameter : module.parameters(/*recurse=*/false)) {
    on_tensor(parameter);
  }
  for (const at::Tensor& buffer : module.buffers(/*recurse=*/false)) {
    on_tensor(buffer);
  }
  for (const auto& child : module.children()) {
    walk(*child, on_module, on_tensor);
  }
}

}  // namespace

void watched_module::append_key(std::string& key) const {
  if (module_ == nullptr) {
    return;
  }
  walk(
      *module_, [&](const torch::nn::Module& module) { key.push_back(module.is_training() ? 't' : 'e'); },
      [&](const at::Tensor& tensor) { key.push_back(tensor.defined() && tensor.requires_grad() ? 'g' : '-'); });
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

std::vector<const c10::TensorImpl*> watched_module::identities() const {
  std::vector<const c10::TensorImpl*> found;
  for (const auto& tensor : tensors()) {
    found.push_back(tensor.unsafeGetTensorImpl());
  }
  return found;
}

bool watched_module::has_exactly(const std::vector<const c10::TensorImpl*>& impls) const {
  if (module_ == nullptr) {
    return impls.empty();
  }
  std::size_t next = 0;
  bool same = true;
  walk(
      *module_, [](const torch::nn::Module&) {},
      [&](const at::Tensor& tensor) {
        if (!tensor.defined()) {
          return;
        }
        same = same && next < impls.size() && impls[next] == tensor.unsafeGetTensorImpl();
        ++next;
      });
  return same && next == impls.size();
}

}  // namespace graphed
