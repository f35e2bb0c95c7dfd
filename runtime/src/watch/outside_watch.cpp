// SPDX-License-Identifier: Apache-2.0
#include "watch/outside_watch.h"

#include "report/text.h"
#include "torch/tensors_of.h"

#include <graphed/error.h>

#include <algorithm>
#include <utility>

namespace graphed::impl {

// Batch normalisation updates its running statistics without saying so in its schema, and without counting a version.
access access_to_argument(const operator_call& call, std::size_t index) {
  const auto& schema = call.op.schema();
  const auto& declared = schema.arguments()[index];
  if (declared.alias_info() != nullptr) {
    return declared.alias_info()->isWrite() ? access::write : access::read;
  }
  if (declared.name() != "running_mean" && declared.name() != "running_var") {
    return access::read;
  }
  const auto training = schema.argumentIndexWithName("training");
  return training && !call.arguments[static_cast<std::size_t>(*training)].toBool() ? access::read : access::hidden_write;
}

bool lets_go(const operator_call& call, const at::Tensor& argument) {
  return call.has(trait::lets_go) && (!call.op.schema().is_mutable() || argument.is_leaf());
}

const c10::StorageImpl* storage_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

void outside_watch::add_input(const at::Tensor& tensor, std::string name, bool writable) {
  inputs_.emplace(storage_of(tensor), input{std::move(name), writable, /*has_smaller_gaps=*/false});
  input_handles_.insert(tensor.unsafeGetTensorImpl());
  if (tensor.is_leaf() && tensor.requires_grad()) {
    input_leaves_.emplace_back(tensor.getIntrusivePtr());
  }
}

void outside_watch::add_held(const at::Tensor& tensor, const at::Tensor& stand_in) {
  held_.insert(storage_of(tensor));
  if (stand_in.defined()) {
    originals_.emplace(stand_in.unsafeGetTensorImpl(), tensor);
  }
}

const std::string* outside_watch::shows_smaller_gaps(const at::Tensor& tensor) const {
  const auto found = inputs_.find(storage_of(tensor));
  return found != inputs_.end() && found->second.has_smaller_gaps ? &found->second.name : nullptr;
}

void outside_watch::watch_gradients(const std::vector<at::Tensor>& known) {
  watches_gradients_ = true;
  for (const auto& tensor : known) {
    note_leaf(tensor);
  }
}

void outside_watch::note_leaf(const at::Tensor& tensor) {
  if (watches_gradients_ && tensor.is_leaf() && tensor.grad().defined()) {
    const at::Tensor& gradient = tensor.grad();
    gradients_.emplace(gradient.unsafeGetTensorImpl(),
                       leaf_gradient{weak_tensor(gradient.getIntrusivePtr()), weak_tensor(tensor.getIntrusivePtr())});
  }
}

gradients_by_leaf outside_watch::gradients_of_leaves() const {
  gradients_by_leaf found;
  if (!watches_gradients_) {
    return found;
  }
  std::unordered_set<const c10::TensorImpl*> known;
  const auto add = [&](const at::Tensor& leaf) {
    if (leaf.defined() && known.insert(leaf.unsafeGetTensorImpl()).second) {
      found.emplace_back(leaf, leaf.grad());
    }
  };
  for (const outside_tensor& outside : tensors_) {
    if (outside.tensor.is_leaf() && outside.tensor.requires_grad()) {
      add(outside.tensor);
    }
  }
  for (const auto& each : gradients_) {
    add(at::Tensor(each.second.leaf.lock()));
  }
  for (const weak_tensor& leaf : input_leaves_) {
    add(at::Tensor(leaf.lock()));
  }
  return found;
}

gradients_by_leaf outside_watch::made_gradients() const {
  gradients_by_leaf found = gradients_of_leaves();
  const auto had_one = [this](const at::Tensor& leaf) {
    return std::any_of(gradients_.begin(), gradients_.end(),
                       [&](const auto& each) { return each.second.leaf._unsafe_get_target() == leaf.unsafeGetTensorImpl(); });
  };
  const auto is_as_before = [&](const auto& each) {
    return each.second.defined() ? origin_of(each.second) != origin::inside : !had_one(each.first);
  };
  found.erase(std::remove_if(found.begin(), found.end(), is_as_before), found.end());
  return found;
}

at::Tensor first_changed(const gradients_by_leaf& before) {
  const auto found = std::find_if(before.begin(), before.end(), [](const auto& each) { return !each.first.grad().is_same(each.second); });
  return found == before.end() ? at::Tensor() : found->first;
}

at::Tensor outside_watch::leaf_of(const at::Tensor& gradient) const {
  const auto found = gradients_.find(gradient.unsafeGetTensorImpl());
  return found == gradients_.end() ? at::Tensor() : at::Tensor(found->second.leaf.lock());
}

// A `.grad` that is there is seen by the operators that use it.
void outside_watch::note_gradient_of(const at::Tensor& tensor) {
  if (tensor.grad().defined()) {
    note_leaf(tensor);
  } else if (const origin known = origin_of(tensor); known == origin::unknown || known == origin::outside) {
    index_of(tensor);
  }
}

void outside_watch::note_made(const at::Tensor& tensor) {
  if (const origin known = origin_of(tensor); tensor.has_storage() && (known == origin::unknown || known == origin::inside)) {
    note_inside(tensor);
  }
}

void outside_watch::note_inside(const at::Tensor& tensor) {
  if (const auto* storage = storage_of(tensor); inside_.count(storage) == 0) {
    inside_.emplace(storage, tensor.storage().getWeakStorageImpl());
  }
}

void outside_watch::before(const operator_call& call) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (call.arguments[i].isStorage()) {
      note_given(call.arguments[i].toStorage().unsafeGetStorageImpl());
    }
    const access access = access_to_argument(call, i);
    for_each_tensor(call.arguments[i], [&](const at::Tensor& tensor) {
      operands_.insert(tensor.unsafeGetTensorImpl());
      note(call, tensor, access);
    });
  }
}

void outside_watch::note(const operator_call& call, const at::Tensor& tensor, access access) {
  if (!tensor.defined() || tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    return;
  }
  const auto* storage = storage_of(tensor);
  if (const auto found = inputs_.find(storage); found != inputs_.end()) {
    if (access != access::read) {
      note_write(tensor, found->second.written);
    }
    if (access != access::read && !found->second.writable) {
      throw CaptureError("operator " + full_name(call.op) + " writes to the argument '" + found->second.name +
                         "', which the annotation does not mark 'inplace'" +
                         (access == access::hidden_write ? ", and which its schema does not say" : ""));
    }
    return;
  }
  if (inside_.count(storage) != 0) {
    return;
  }
  if (origin_of(tensor) == origin::inside) {
    note_inside(tensor);
    return;
  }
  // One without dimensions that nothing holds is a number of the callable's own, as index_put_ makes one.
  if (!host_tensors_allowed_ && tensor.is_cpu() && (tensor.dim() != 0 || held_.count(storage) != 0)) {
    throw CaptureError("operator " + full_name(call.op) +
                       " reads a tensor in host memory that was made outside the callable: a graph would freeze its value");
  }
  outside_tensor& entry = tensors_[index_of(tensor)];
  const bool is_used = !lets_go(call, tensor);
  entry.used |= is_used;
  if (access == access::read || !is_used) {
    return;
  }
  note_write(entry.tensor, entry.changed);
  entry.written |= access == access::write;
}

void outside_watch::note_write(const at::Tensor& tensor, bool& is_written) {
  for (auto* const each : told_) {
    if (!is_written) {
      each->before_write(tensor);
    }
  }
  is_written = true;
}

// A tensor that is set to it is a view of tensors that no operator may have used yet: cuDNN's weights are set so to those of a module.
void outside_watch::note_given(const c10::StorageImpl* storage) {
  if (inside_.count(storage) == 0 && inputs_.count(storage) == 0 && !allocations_->hold(storage)) {
    given_.insert(storage);
  }
}

void outside_watch::after(const operator_call& /*call*/, c10::ArrayRef<c10::IValue> results) {
  for (const auto& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) { note_result(tensor); });
  }
}

void outside_watch::note_result(const at::Tensor& tensor) {
  operands_.erase(tensor.unsafeGetTensorImpl());
  note_made(tensor);
  if (tensor.has_storage() && origin_of(tensor) == origin::outside && by_tensor_.count(tensor.unsafeGetTensorImpl()) == 0 &&
      originals_.count(tensor.unsafeGetTensorImpl()) == 0) {
    views_.insert(tensor.unsafeGetTensorImpl());
  }
}

std::size_t outside_watch::index_of(const at::Tensor& used) {
  const auto original = originals_.find(used.unsafeGetTensorImpl());
  const at::Tensor& tensor = original == originals_.end() ? used : original->second;
  const auto* storage = storage_of(tensor);
  if (views_.count(tensor.unsafeGetTensorImpl()) != 0) {  // unless the view died and another tensor has its address
    if (const auto found = by_storage_.find(storage); found != by_storage_.end()) {
      return found->second;
    }
  }
  const auto [found, is_new] = by_tensor_.emplace(tensor.unsafeGetTensorImpl(), tensors_.size());
  if (is_new) {
    for (auto* const each : told_) {
      each->before_use(tensor);
    }
    tensors_.push_back({tensor});
    note_leaf(tensor);
  }
  by_storage_.emplace(storage, found->second);
  return found->second;
}

origin outside_watch::origin_of(const at::Tensor& tensor) const {
  const auto* storage = storage_of(tensor);
  if (inside_.count(storage) != 0) {
    return origin::inside;
  }
  if (inputs_.count(storage) != 0) {
    return origin::input;
  }
  if (by_storage_.count(storage) != 0 || given_.count(storage) != 0) {
    return origin::outside;
  }
  const bool is_stand_in = originals_.count(tensor.unsafeGetTensorImpl()) != 0;
  return !is_stand_in && held_.count(storage) == 0 && allocations_->hold(storage) ? origin::inside : origin::unknown;
}

bool outside_watch::is_parameter(const at::Tensor& tensor) const {
  const auto found = by_storage_.find(storage_of(tensor));
  return found != by_storage_.end() && tensors_[found->second].tensor.requires_grad();
}

bool outside_watch::is_callers(const at::Tensor& tensor) const {
  const auto* impl = tensor.unsafeGetTensorImpl();
  return input_handles_.count(impl) != 0 || originals_.count(impl) != 0 || (by_tensor_.count(impl) != 0 && views_.count(impl) == 0);
}

std::unordered_set<const c10::StorageImpl*> outside_watch::used_storages() const {
  std::unordered_set<const c10::StorageImpl*> used;
  for (const auto& [storage, index] : by_storage_) {
    used.insert(storage);
  }
  return used;
}

// What only the recording holds was made by the callable itself, but for a `.grad` that a step has read and dropped. Where it is another
// handle of a held tensor's memory, as data() makes one, what happened to it happened to that tensor, behind its version counter.
std::vector<outside_tensor> outside_watch::all() const {
  std::vector<outside_tensor> all, others;
  for (const auto& outside : tensors_) {
    const bool is_held = outside.tensor.use_count() > 1 || (outside.used && leaf_of(outside.tensor).defined());
    auto& list = is_held ? all : others;
    list.push_back(outside);
    list.back().held = is_held;
  }
  const auto held = all.size();
  for (const auto& other : others) {
    bool is_handle = false;
    for (std::size_t i = 0; i < held; ++i) {
      if (other.tensor.has_storage() && all[i].tensor.has_storage() && all[i].tensor.is_alias_of(other.tensor)) {
        all[i].changed |= other.changed;
        all[i].used |= other.used;
        is_handle = true;
      }
    }
    if (!is_handle) {
      all.push_back(other);
    }
  }
  return all;
}

std::string outside_watch::abandoned() const {
  for (const auto& outside : all()) {
    if (!outside.held && outside.used && outside.tensor.dim() > 0) {
      return "it uses a tensor of shape " + text(outside.tensor.sizes()) +
             " that it replaces, or makes of host memory, on each call: pass it as an argument";
    }
  }
  return {};
}

}  // namespace graphed::impl
