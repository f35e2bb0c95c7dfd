// SPDX-License-Identifier: Apache-2.0
#include "closure.h"

#include <utility>

namespace graphed {

namespace impl = torch::autograd::impl;

namespace {

bool is_gradient_leaf(const at::Tensor& tensor) {
  return tensor.requires_grad() && tensor.is_leaf();
}

const void* address_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.const_data_ptr() : tensor.unsafeGetTensorImpl();
}

} // namespace

void closure::add(const at::Tensor& tensor) {
  if (!index_.emplace(tensor.unsafeGetTensorImpl(), members_.size()).second) return;
  closure_member member;
  member.tensor = tensor;
  members_.push_back(std::move(member));
}

closure_member* closure::find(const c10::TensorImpl* tensor) {
  const auto found = index_.find(tensor);
  return found == index_.end() ? nullptr : &members_[found->second];
}

void closure::pin() {
  for (auto& member : members_) {
    member.data = address_of(member.tensor);
    member.requires_grad = member.tensor.requires_grad();
  }
}

bool closure::unchanged() const {
  for (const auto& member : members_) {
    if (address_of(member.tensor) != member.data || member.tensor.requires_grad() != member.requires_grad) return false;
  }
  return true;
}

private_autograd_state::private_autograd_state(closure& members) : members_(members), originals_(members.members().size()) {
  for (std::size_t i = 0; i < originals_.size(); ++i) {
    closure_member& member = members_.members()[i];
    original& original = originals_[i];
    if (!member.tensor.is_inference()) {
      auto* tensor = member.tensor.unsafeGetTensorImpl();
      original.version = tensor->version_counter();
      tensor->set_version_counter(member.version);
    }
    original.is_leaf = is_gradient_leaf(member.tensor);
    if (!original.is_leaf) continue;
    original.accumulator = impl::try_get_grad_accumulator(member.tensor);
    impl::set_grad_accumulator(member.tensor, member.accumulator);
    member.accumulator = impl::grad_accumulator(member.tensor);
    std::swap(original.hooks, impl::hooks(member.tensor));
  }
}

private_autograd_state::~private_autograd_state() {
  for (std::size_t i = 0; i < originals_.size(); ++i) {
    closure_member& member = members_.members()[i];
    if (!member.tensor.is_inference()) member.tensor.unsafeGetTensorImpl()->set_version_counter(std::move(originals_[i].version));
    if (!originals_[i].is_leaf) continue;
    impl::set_grad_accumulator(member.tensor, originals_[i].accumulator);
    std::swap(originals_[i].hooks, impl::hooks(member.tensor));
  }
}

} // namespace graphed
