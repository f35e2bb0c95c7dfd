// SPDX-License-Identifier: Apache-2.0
#include "call/members.h"

#include "torch/module_parts.h"

#include <torch/nn/module.h>

#include <algorithm>

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

std::string joined(const std::string& prefix, const std::string& name) { return prefix.empty() ? name : prefix + "." + name; }

void add(std::string& words, const std::string& more) {
  if (!more.empty()) {
    words += (words.empty() ? "" : ", ") + more;
  }
}

}  // namespace

void watched_module::append_key(key_bytes& key, tensor_identities& tensors) const {
  if (module_ == nullptr) {
    return;
  }
  for_each_module(*module_, [&](const torch::nn::Module& module) {
    key.push_back(module.is_training() ? 't' : 'e');
    for_each_own_tensor(module, [&](const at::Tensor& tensor) {
      key.push_back(tensor.defined() && tensor.requires_grad() ? 'g' : '-');
      if (tensor.defined()) {
        tensors.push_back(tensor.unsafeGetTensorImpl());
      }
    });
  });
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
  std::optional<c10::Device> found;
  for_each_tensor(module_, [&](const at::Tensor& tensor) { found = found ? found : tensor.device(); });
  return found;
}

std::vector<at::Tensor> watched_module::tensors() const {
  std::vector<at::Tensor> found;
  for_each_tensor(module_, [&](const at::Tensor& tensor) { found.push_back(tensor); });
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

object_members::object_members(const WatchedObject& object, const WatchedObject& arguments) : object_(object), arguments_(arguments) {
  if (object || arguments) {
    look();
  }
}

void object_members::look() {
  found_.emplace();
  for (const auto* each : {&object_, &arguments_}) {
    if (*each) {
      each->visit(*found_);
    }
  }
}

const char* object_members::name_of(std::size_t member) const {
  const std::size_t of_object = object_.names().size();
  return member < of_object ? object_.names()[member] : arguments_.names()[member - of_object];
}

std::string object_members::place_of(std::size_t member) const {
  const std::string name = std::string("'") + name_of(member) + "'";
  return member < object_.names().size() ? "the member " + name + " of its object" : name + " of its arguments";
}

// Calls `f` with the number and the part of each member.
template <class F>
void object_members::for_each(const assigned_members& assigned, F&& f) const {
  for (std::size_t i = 0; found_ && i < found_->size(); ++i) {
    if (i >= assigned.size() || assigned[i] == assignment::none) {
      f(i, (*found_)[i]);
    }
  }
}

void object_members::append_key(const assigned_members& assigned, key_bytes& key, tensor_identities& tensors) const {
  for_each(assigned, [&](std::size_t /*member*/, const WatchedMembers::part& part) {
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

std::optional<c10::Device> object_members::accelerator() const {
  if (!found_) {
    return std::nullopt;
  }
  for (const auto* module : found_->modules()) {
    const auto device = watched_module(module).device();
    if (device && !device->is_cpu()) {
      return device;
    }
  }
  for (const auto* tensor : found_->tensors()) {
    if (tensor->defined() && !tensor->is_cpu()) {
      return tensor->device();
    }
  }
  return std::nullopt;
}

std::vector<at::Tensor> object_members::tensors(const assigned_members& assigned) const {
  std::vector<at::Tensor> found;
  for_each(assigned, [&](std::size_t /*member*/, const WatchedMembers::part& part) {
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

void object_members::for_each_named(c10::function_ref<void(const at::Tensor&, const std::string&, const std::string&)> f) const {
  for_each({}, [&](std::size_t member, const WatchedMembers::part& part) {
    for (const auto* module : part.modules) {
      watched_module(module).for_each_named(name_of(member), f);
    }
    for (const auto* tensor : part.tensors) {
      f(*tensor, name_of(member), "");
    }
  });
}

std::string object_members::words(const assigned_members& assigned) const {
  std::string words;
  for_each(assigned, [&](std::size_t member, const WatchedMembers::part& part) {
    const std::string_view bytes(found_->bytes().data(), found_->bytes().size());
    std::string held;
    for (const auto& value : part.values) {
      add(held, value.text(bytes));
    }
    for (const auto* module : part.modules) {
      add(held, watched_module(module).training_words());
    }
    add(words, held.empty() ? "" : std::string(name_of(member)) + " = " + held);
  });
  return words;
}

void object_members::remember() {
  before_ = found_;
  tensors_before_.clear();
  for (std::size_t i = 0; found_ && i < found_->tensors().size(); ++i) {
    tensors_before_.push_back(*found_->tensors()[i]);
  }
}

void object_members::look_again() {
  if (found_) {
    look();
  }
}

assigned_members object_members::find_assigned(const assigned_members& earlier) const {
  assigned_members assigned;
  auto tensor = tensors_before_.begin();
  for (std::size_t i = 0; i < before_->size(); ++i) {
    const auto before = (*before_)[i], now = (*found_)[i];
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

void object_members::forget() {
  before_.reset();
  tensors_before_.clear();
}

}  // namespace graphed::impl
