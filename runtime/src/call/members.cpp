// SPDX-License-Identifier: Apache-2.0
#include "call/members.h"

#include "torch/module_parts.h"

#include <torch/nn/module.h>

#include <algorithm>

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

struct part {
  c10::ArrayRef<const torch::nn::Module*> modules;
  c10::ArrayRef<const at::Tensor*> tensors;
  c10::ArrayRef<char> bytes;
};

template <class F>
void for_each_member(const watched_members& members, const assigned_members& assigned, F&& f) {
  watched_members::ends begin{};
  for (std::size_t i = 0; i < members.members().size(); ++i) {
    const auto& end = members.members()[i];
    if (i >= assigned.size() || assigned[i] == assignment::none) {
      f(part{members.modules().slice(begin.modules, end.modules - begin.modules),
             members.tensors().slice(begin.tensors, end.tensors - begin.tensors),
             members.bytes().slice(begin.bytes, end.bytes - begin.bytes)});
    }
    begin = end;
  }
}

// Whether two lists hold the same in [begin, end), whose bounds in the second are `other_begin` and `other_end`.
template <class List, class Other, class Same>
bool is_same(const List& list, std::size_t begin, std::size_t end, const Other& other, std::size_t other_begin, std::size_t other_end,
             Same&& same) {
  return std::equal(list.begin() + begin, list.begin() + end, other.begin() + other_begin, other.begin() + other_end, same);
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

void append_key(const watched_members& members, const assigned_members& assigned, key_bytes& key, tensor_identities& tensors) {
  for_each_member(members, assigned, [&](const part& part) {
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

std::optional<c10::Device> accelerator_of(const watched_members& members) {
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

std::vector<at::Tensor> tensors_of(const watched_members& members, const assigned_members& assigned) {
  std::vector<at::Tensor> found;
  for_each_member(members, assigned, [&](const part& part) {
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

members_before::members_before(const watched_members& members)
    : modules_(members.modules().vec()), bytes_(members.bytes().vec()), members_(members.members().vec()) {
  for (const auto* tensor : members.tensors()) {
    tensors_.push_back(*tensor);
  }
}

assigned_members members_before::compared_with(const watched_members& after, const assigned_members& earlier) const {
  const auto is_equal = [](const auto& a, const auto& b) { return a == b; };
  const auto is_same_tensor = [](const at::Tensor& a, const at::Tensor* b) { return a.is_same(*b); };
  assigned_members assigned;
  watched_members::ends begin{}, now{};
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto& end = members_[i];
    const auto& now_end = after.members()[i];
    const bool is_resized =
        end.tensors - begin.tensors != now_end.tensors - now.tensors || end.modules - begin.modules != now_end.modules - now.modules;
    const bool is_same_member =
        is_same(modules_, begin.modules, end.modules, after.modules(), now.modules, now_end.modules, is_equal) &&
        is_same(tensors_, begin.tensors, end.tensors, after.tensors(), now.tensors, now_end.tensors, is_same_tensor) &&
        is_same(bytes_, begin.bytes, end.bytes, after.bytes(), now.bytes, now_end.bytes, is_equal);
    const bool was_resized = i < earlier.size() && earlier[i] == assignment::resized;
    assigned.push_back(is_resized || was_resized ? assignment::resized : is_same_member ? assignment::none : assignment::changed);
    begin = end;
    now = now_end;
  }
  return assigned;
}

}  // namespace graphed
