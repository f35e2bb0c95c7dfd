// SPDX-License-Identifier: Apache-2.0
#include "call/members.h"

#include "torch/module_parts.h"

#include <torch/nn/module.h>

#include <algorithm>

namespace graphed::impl {
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

// Calls `f` with the part of each member that the callable does not assign.
template <class F>
void for_each_member(const WatchedMembers& members, const assigned_members& assigned, F&& f) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i >= assigned.size() || assigned[i] == assignment::none) {
      f(members[i]);
    }
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

void append_key(const WatchedMembers& members, const assigned_members& assigned, key_bytes& key, tensor_identities& tensors) {
  for_each_member(members, assigned, [&](const WatchedMembers::part& part) {
    key.append(part.bytes.begin(), part.bytes.end());
    for (const auto* module : part.modules) {
      tensors.push_back(module);
      watched_module(module).append_key(key, tensors);
    }
    for (const auto* tensor : part.tensors) {
      tensors.push_back(tensor->unsafeGetTensorImpl());
    }
  });
}

std::optional<c10::Device> accelerator_of(const WatchedMembers& members) {
  for (const auto* module : members.modules()) {
    if (const auto device = watched_module(module).device(); device && !device->is_cpu()) {
      return device;
    }
  }
  for (const auto* tensor : members.tensors()) {
    if (tensor->defined() && !tensor->device().is_cpu()) {
      return tensor->device();
    }
  }
  return std::nullopt;
}

std::vector<at::Tensor> tensors_of(const WatchedMembers& members, const assigned_members& assigned) {
  std::vector<at::Tensor> found;
  for_each_member(members, assigned, [&](const WatchedMembers::part& part) {
    for (const auto* module : part.modules) {
      const auto tensors = watched_module(module).tensors();
      found.insert(found.end(), tensors.begin(), tensors.end());
    }
    for (const auto* tensor : part.tensors) {
      if (tensor->defined()) {
        found.push_back(*tensor);
      }
    }
  });
  return found;
}

members_before::members_before(const WatchedMembers& members) : members_(members) {
  for (const auto* tensor : members.tensors()) {
    tensors_.push_back(*tensor);
  }
}

assigned_members members_before::compared_with(const WatchedMembers& after, const assigned_members& earlier) const {
  assigned_members assigned;
  auto tensor = tensors_.begin();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto before = members_[i], now = after[i];
    const auto end = tensor + static_cast<std::ptrdiff_t>(before.tensors.size());
    const bool is_resized = before.tensors.size() != now.tensors.size() || before.modules.size() != now.modules.size();
    const bool is_same = before.modules.equals(now.modules) && before.bytes.equals(now.bytes) &&
                         std::equal(tensor, end, now.tensors.begin(), now.tensors.end(),
                                    [](const at::Tensor& was, const at::Tensor* is) { return was.is_same(*is); });
    const bool was_resized = i < earlier.size() && earlier[i] == assignment::resized;
    assigned.push_back(is_resized || was_resized ? assignment::resized : is_same ? assignment::none : assignment::changed);
    tensor = end;
  }
  return assigned;
}

}  // namespace graphed::impl
