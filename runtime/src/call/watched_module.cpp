// SPDX-License-Identifier: Apache-2.0
//
// What of a module selects a capture.
#include "call/members.h"
#include "torch/module_members.h"
#include "torch/module_parts.h"

#include <torch/nn/module.h>

#include <algorithm>
#include <unordered_set>

namespace graphed::impl {
namespace {

template <class F>
void for_each_module(const torch::nn::Module& module, F&& f) {
  f(module);
  for (const auto& child : children_of(module)) {
    for_each_module(*child.value(), f);
  }
}

template <class F>
void for_each_own_tensor(const torch::nn::Module& module, F&& f) {
  for (const auto& parameter : parameters_of(module)) {
    f(parameter.value());
  }
  for (const auto& buffer : buffers_of(module)) {
    f(buffer.value());
  }
}

// Of those that are defined, submodules' included.
template <class F>
void for_each_tensor(const torch::nn::Module* module, F&& f) {
  const auto where_defined = [&](const at::Tensor& tensor) {
    if (tensor.defined()) {
      f(tensor);
    }
  };
  if (module != nullptr) {
    for_each_module(*module, [&](const torch::nn::Module& each) { for_each_own_tensor(each, where_defined); });
  }
}

// Of those, the first.
const at::Tensor* first_tensor(const torch::nn::Module& module) {
  for (const auto* const own : {&parameters_of(module), &buffers_of(module)}) {
    for (const auto& each : *own) {
      if (each.value().defined()) {
        return &each.value();
      }
    }
  }
  for (const auto& child : children_of(module)) {
    if (const at::Tensor* const found = first_tensor(*child.value())) {
      return found;
    }
  }
  return nullptr;
}

// What members hold, where that is not what is registered, in the order of both.
void append_others(c10::ArrayRef<const at::Tensor*> registered, c10::ArrayRef<const at::Tensor*> held, tensor_identities& to) {
  const auto are_one = [](const at::Tensor* a, const at::Tensor* b) { return a->is_same(*b); };
  if (std::equal(registered.begin(), registered.end(), held.begin(), held.end(), are_one)) {
    return;
  }
  for (const at::Tensor* each : held) {
    to.push_back(each->unsafeGetTensorImpl());
  }
}

std::string joined(const std::string& prefix, const std::string& name) { return prefix.empty() ? name : prefix + "." + name; }

}  // namespace

void watched_module::append_key(key_bytes& key, tensor_identities& tensors, met_modules& met) const {
  if (module_ == nullptr || met.contains(module_)) {
    return;
  }
  WatchedMembers members;
  c10::SmallVector<const at::Tensor*, 8> own;
  for_each_module(*module_, [&](const torch::nn::Module& module) {
    met.add(&module);
    own.clear();
    key.push_back(module.is_training() ? 't' : 'e');
    for_each_own_tensor(module, [&](const at::Tensor& tensor) {
      own.push_back(&tensor);
      key.push_back(tensor.defined() && tensor.requires_grad() ? 'g' : '-');
      if (tensor.defined()) {
        tensors.push_back(tensor.unsafeGetTensorImpl());
      }
    });
    const std::size_t visited = members.tensors().size();
    visit_members_of_library(module, members);
    append_others(own, members.tensors().slice(visited), tensors);
  });
  key.append(members.bytes().begin(), members.bytes().end());
}

bool watched_module::has(const torch::nn::Module& module) const {
  bool found = false;
  if (module_ != nullptr) {
    for_each_module(*module_, [&](const torch::nn::Module& each) { found |= &each == &module; });
  }
  return found;
}

std::string watched_module::training_words() const {
  if (module_ == nullptr) {
    return "";
  }
  std::size_t all = 0, training = 0;
  for_each_module(*module_, [&](const torch::nn::Module& module) {
    ++all;
    training += module.is_training() ? 1 : 0;
  });
  if (training == all) {
    return "train";
  }
  return training == 0 ? "eval" : std::to_string(training) + " of " + std::to_string(all) + " modules train";
}

std::optional<c10::Device> watched_module::device() const {
  const at::Tensor* const first = module_ == nullptr ? nullptr : first_tensor(*module_);
  return first == nullptr ? std::nullopt : std::optional(first->device());
}

std::vector<at::Tensor> watched_module::tensors() const {
  std::vector<at::Tensor> found;
  WatchedMembers members;
  for_each_tensor(module_, [&](const at::Tensor& tensor) { found.push_back(tensor); });
  if (module_ != nullptr) {
    for_each_module(*module_, [&](const torch::nn::Module& module) { visit_members_of_library(module, members); });
  }
  std::unordered_set<const c10::TensorImpl*> registered;
  for (const at::Tensor& each : found) {
    registered.insert(each.unsafeGetTensorImpl());
  }
  for (const auto* tensor : members.tensors()) {
    if (tensor->defined() && registered.count(tensor->unsafeGetTensorImpl()) == 0) {
      found.push_back(*tensor);
    }
  }
  return found;
}

void watched_module::for_each_named(const std::string& prefix,
                                    c10::function_ref<void(const at::Tensor&, const std::string&, const std::string&)> f) const {
  if (module_ == nullptr) {
    return;
  }
  for (const auto* const own : {&parameters_of(*module_), &buffers_of(*module_)}) {
    for (const auto& each : *own) {
      f(each.value(), joined(prefix, each.key()), prefix);
    }
  }
  for (const auto& child : children_of(*module_)) {
    watched_module(child.value().get()).for_each_named(joined(prefix, child.key()), f);
  }
}

}  // namespace graphed::impl
