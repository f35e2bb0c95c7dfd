// SPDX-License-Identifier: Apache-2.0
#include "capture/closure.h"

#include "report/text.h"

#include <graphed/error.h>

#include <torch/csrc/autograd/cpp_hook.h>
#include <torch/csrc/autograd/function_hook.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

namespace graphed {

namespace impl = torch::autograd::impl;
using torch::autograd::PostAccumulateGradHook;

namespace {

bool is_gradient_leaf(const at::Tensor& tensor) { return tensor.requires_grad() && tensor.is_leaf(); }

// One that was frozen has them still, and its accumulator in a captured graph calls them.
bool may_have_hooks(const at::Tensor& tensor) { return tensor.is_leaf() && impl::get_autograd_meta(tensor) != nullptr; }

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

bool accumulator_has_hooks(const at::Tensor& leaf) {
  const auto accumulator = impl::try_get_grad_accumulator(leaf);
  return accumulator && (!accumulator->pre_hooks().empty() || !accumulator->post_hooks().empty());
}

/// A hook after accumulation, with a number. A leaf has one at most, and the next one may get the address of one that was removed.
class numbered_hook final : public PostAccumulateGradHook {
 public:
  explicit numbered_hook(std::unique_ptr<PostAccumulateGradHook> own) : own_(std::move(own)) {}
  std::size_t number() const { return number_; }
  void operator()(const at::Tensor& leaf) override { (*own_)(leaf); }
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override { own_->compiled_args(args); }
  void apply_with_saved(at::Tensor& leaf, torch::dynamo::autograd::SwapSavedVariables& saved) override {
    own_->apply_with_saved(leaf, saved);
  }

 private:
  static std::size_t next() {
    static std::atomic<std::size_t> last{0};
    return ++last;
  }
  const std::unique_ptr<PostAccumulateGradHook> own_;
  const std::size_t number_ = next();
};

constexpr std::size_t without_number = std::numeric_limits<std::size_t>::max();

std::size_t number_of(const PostAccumulateGradHook* hook) {
  const auto* numbered = dynamic_cast<const numbered_hook*>(hook);
  return hook == nullptr ? 0 : numbered == nullptr ? without_number : numbered->number();
}

void give_number(const at::Tensor& leaf) {
  auto* state = impl::get_autograd_meta(leaf);
  if (state != nullptr && number_of(state->post_acc_grad_hooks_.get()) == without_number) {
    state->post_acc_grad_hooks_ = std::make_unique<numbered_hook>(std::move(state->post_acc_grad_hooks_));
  }
}

hook_counts hooks_of(const at::Tensor& leaf) {
  const auto* state = impl::get_autograd_meta(leaf);
  if (state == nullptr) {
    return {};
  }
  hook_counts counts;
  counts.after_accumulation = number_of(state->post_acc_grad_hooks_.get());
  if (state->cpp_hooks_list_ != nullptr) {
    const auto& list = *state->cpp_hooks_list_;
    const auto is_present = [](const auto& hook) { return static_cast<bool>(hook); };
    counts.registered = list.size();
    counts.present = static_cast<std::size_t>(std::count_if(list.begin(), list.end(), is_present));
  }
  return counts;
}

void refuse_accumulator_hooks(const closure& members) {
  for (const auto& member : members.members()) {
    if (is_gradient_leaf(member.tensor) && accumulator_has_hooks(member.tensor)) {
      throw capture_error("a hook is registered on the accumulator of a tensor of shape " + text(member.tensor.sizes()) +
                          ", which a graph of a step would leave out: register it on the tensor");
    }
  }
}

}  // namespace

bool has_hooks(const at::Tensor& leaf) { return !impl::hooks(leaf).empty() || accumulator_has_hooks(leaf); }

void closure::add(const at::Tensor& tensor) {
  if (!index_.emplace(tensor.unsafeGetTensorImpl(), members_.size()).second) {
    return;
  }
  closure_member member;
  member.tensor = tensor;
  members_.push_back(std::move(member));
}

closure_member* closure::find(const c10::TensorImpl* tensor) {
  const auto found = index_.find(tensor);
  return found == index_.end() ? nullptr : &members_[found->second];
}

const closure_member* closure::find(const c10::TensorImpl* tensor) const { return const_cast<closure*>(this)->find(tensor); }

const closure_member* closure::find_captured(const at::Tensor& tensor) const {
  const at::Tensor* original = stand_ins_.original_of(tensor);
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

void closure::make_stand_ins() {
  for (auto& member : members_) {
    member.stand_in = stand_ins_.make_for(member.tensor);
  }
}

void closure::pin(leaf_hooks hooks) {
  hooks_ = hooks;
  for (auto& member : members_) {
    if (hooks == leaf_hooks::run) {
      give_number(member.tensor);
    }
    member.hooks = hooks_of(member.tensor);
    member.data = address_of(*member.tensor.unsafeGetTensorImpl());
    member.requires_grad = member.tensor.requires_grad();
    member.dtype = member.tensor.dtype();
    member.sizes = member.tensor.sizes().vec();
    member.strides = member.tensor.layout() == at::kStrided ? member.tensor.strides().vec() : std::vector<int64_t>();
  }
}

bool closure::has_same_hooks(const closure_member& member) const {
  return hooks_ == leaf_hooks::set_aside || !is_gradient_leaf(member.tensor) ||
         (hooks_of(member.tensor) == member.hooks && !accumulator_has_hooks(member.tensor));
}

bool closure::unchanged() const {
  for (const auto& member : members_) {
    const c10::TensorImpl& now = *member.tensor.unsafeGetTensorImpl();
    if (address_of(now) != member.data || now.requires_grad() != member.requires_grad || now.dtype() != member.dtype) {
      return false;
    }
    if (!is_same(now.sizes(), member.sizes) || (now.layout() == at::kStrided && !is_same(now.strides(), member.strides))) {
      return false;
    }
    if (!has_same_hooks(member)) {
      return false;
    }
  }
  return true;
}

private_autograd_state::private_autograd_state(closure& members, leaf_hooks hooks)
    : members_(members), hooks_(hooks), originals_(members.members().size()) {
  if (hooks_ == leaf_hooks::run) {
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
    original.has_hooks_aside = hooks_ == leaf_hooks::set_aside && may_have_hooks(member.tensor);
    if (original.has_hooks_aside) {
      std::swap(original.hooks, impl::hooks(member.tensor));
    }
    original.is_leaf = is_gradient_leaf(member.tensor);
    if (original.is_leaf) {
      original.accumulator = impl::try_get_grad_accumulator(member.tensor);
      impl::set_grad_accumulator(member.tensor, weak_node(member.accumulator));
      member.accumulator = impl::grad_accumulator(member.tensor);
    }
  }
}

private_autograd_state::~private_autograd_state() {
  for (std::size_t i = 0; i < originals_.size(); ++i) {
    closure_member& member = members_.members()[i];
    if (!member.tensor.is_inference()) {
      member.tensor.unsafeGetTensorImpl()->set_version_counter(std::move(originals_[i].version));
    }
    if (originals_[i].is_leaf) {
      impl::set_grad_accumulator(member.tensor, originals_[i].accumulator);
    }
    if (originals_[i].has_hooks_aside) {
      std::swap(originals_[i].hooks, impl::hooks(member.tensor));
    }
  }
}

}  // namespace graphed
