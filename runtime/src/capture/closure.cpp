// SPDX-License-Identifier: Apache-2.0
#include "capture/closure.h"

#include "backend/capture_lock.h"
#include "report/text.h"
#include "torch/history.h"

#include <graphed/error.h>

#include <utility>

namespace graphed::impl {

namespace {

bool is_gradient_leaf(const at::Tensor& tensor) { return tensor.requires_grad() && tensor.is_leaf(); }

const void* address_of(const c10::TensorImpl& tensor) {
  if (!tensor.has_storage()) {
    return &tensor;
  }
  const auto offset = static_cast<std::size_t>(tensor.storage_offset()) * tensor.itemsize();
  return static_cast<const char*>(tensor.unsafe_storage().data()) + offset;
}

// Without a call of memcmp for one or two numbers.
bool is_same(at::IntArrayRef now, const std::vector<int64_t>& then) {
  if (now.size() != then.size()) {
    return false;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] != then[i]) {
      return false;
    }
  }
  return true;
}

void refuse_accumulator_hooks(const closure& members) {
  for (const auto& member : members.members()) {
    if (is_gradient_leaf(member.tensor) && has_accumulator_hooks(member.tensor)) {
      throw CaptureError("a hook is registered on the accumulator of a tensor of shape " + text(member.tensor.sizes()) +
                         ", which a graph of a step would leave out: register it on the tensor");
    }
  }
}

}  // namespace

closure_member& closure::add(const at::Tensor& tensor) {
  const auto [found, is_new] = index_.emplace(tensor.unsafeGetTensorImpl(), members_.size());
  if (is_new) {
    members_.emplace_back().tensor = tensor;
  }
  return members_[found->second];
}

const closure_member* closure::find(const c10::TensorImpl* tensor) const {
  const auto found = index_.find(tensor);
  return found == index_.end() ? nullptr : &members_[found->second];
}

const closure_member* closure::find_captured(const at::Tensor& tensor) const {
  const at::Tensor* original = stand_ins_->original_of(tensor);
  return find((original != nullptr ? *original : tensor).unsafeGetTensorImpl());
}

std::vector<at::Tensor> closure::tensors() const {
  std::vector<at::Tensor> all;
  for (const auto& member : members_) {
    all.push_back(member.tensor);
  }
  return all;
}

std::vector<at::Tensor> closure::captured_tensors() const {
  std::vector<at::Tensor> all;
  for (const auto& member : members_) {
    all.push_back(member.captured());
  }
  return all;
}

std::vector<const c10::TensorImpl*> closure::identities() const {
  std::vector<const c10::TensorImpl*> all;
  for (const auto& member : members_) {
    all.push_back(member.tensor.unsafeGetTensorImpl());
  }
  return all;
}

void closure::make_stand_ins() {
  for (auto& member : members_) {
    member.stand_in = stand_ins_->make_for(member.tensor);
  }
}

void closure::pin(leaf_hooks hooks) {
  hooks_ = hooks;
  for (auto& member : members_) {
    if (hooks == leaf_hooks::run) {
      number_hook_after_accumulation(member.tensor);
    }
    const at::Tensor& tensor = member.tensor;
    const bool is_strided = tensor.layout() == at::kStrided;
    member.pinned = {address_of(*tensor.unsafeGetTensorImpl()),
                     tensor.requires_grad(),
                     tensor.sizes().vec(),
                     is_strided ? tensor.strides().vec() : std::vector<int64_t>(),
                     tensor.dtype(),
                     count_hooks(tensor)};
  }
}

bool closure::has_same_hooks(const closure_member& member) const {
  return hooks_ == leaf_hooks::set_aside || !is_gradient_leaf(member.tensor) ||
         (count_hooks(member.tensor) == member.pinned.hooks && !has_accumulator_hooks(member.tensor));
}

bool closure::unchanged() const {
  for (const auto& member : members_) {
    const c10::TensorImpl& now = *member.tensor.unsafeGetTensorImpl();
    const pinned_state& then = member.pinned;
    const bool is_same_memory = address_of(now) == then.data && now.requires_grad() == then.requires_grad && now.dtype() == then.dtype;
    if (!is_same_memory || !is_same(now.sizes(), then.sizes) || (now.layout() == at::kStrided && !is_same(now.strides(), then.strides)) ||
        !has_same_hooks(member)) {
      return false;
    }
  }
  return true;
}

private_autograd_state::private_autograd_state(closure& members, leaf_hooks hooks)
    : alone_(members.identities()), members_(members), originals_(members.members().size()) {
  if (!alone_) {
    throw CaptureError(waited_in_vain("capture or backward") + see(pages::streams_and_threads));
  }
  if (hooks == leaf_hooks::run) {
    refuse_accumulator_hooks(members);
  }
  for (std::size_t i = 0; i < originals_.size(); ++i) {
    closure_member& member = members_.members()[i];
    original& original = originals_[i];
    if (!member.tensor.is_inference()) {
      auto* tensor = member.tensor.unsafeGetTensorImpl();
      original.version = tensor->version_counter();
      tensor->set_version_counter(member.version);
    }
    // One that was frozen has hooks still, and its accumulator in a captured graph calls them.
    if (hooks == leaf_hooks::set_aside && member.tensor.is_leaf() && has_autograd_state(member.tensor)) {
      original.hooks.emplace(member.tensor);
    }
    if (is_gradient_leaf(member.tensor)) {
      original.accumulator.emplace(member.tensor, member.accumulator);
    }
  }
}

private_autograd_state::~private_autograd_state() {
  for (std::size_t i = 0; i < originals_.size(); ++i) {
    closure_member& member = members_.members()[i];
    if (!member.tensor.is_inference()) {
      member.tensor.unsafeGetTensorImpl()->set_version_counter(std::move(originals_[i].version));
    }
  }
}

}  // namespace graphed::impl
