// SPDX-License-Identifier: Apache-2.0
#include "torch/hooks.h"

#include "torch/accumulators.h"

#include <torch/csrc/autograd/cpp_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

namespace graphed::impl {

namespace autograd_impl = torch::autograd::impl;
using torch::autograd::AccumulateGrad;
using torch::autograd::PostAccumulateGradHook;

namespace {

/// A hook after accumulation, with a number.
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

template <class Node>
bool calls_hooks(Node& node) {
  return !node.pre_hooks().empty() || !node.post_hooks().empty();
}

}  // namespace

void number_hook_after_accumulation(const at::Tensor& leaf) {
  auto* state = autograd_impl::get_autograd_meta(leaf);
  if (state != nullptr && number_of(state->post_acc_grad_hooks_.get()) == without_number) {
    state->post_acc_grad_hooks_ = std::make_unique<numbered_hook>(std::move(state->post_acc_grad_hooks_));
  }
}

hook_counts count_hooks(const at::Tensor& leaf) {
  const auto* state = autograd_impl::get_autograd_meta(leaf);
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

bool has_tensor_hooks(const at::Tensor& tensor) { return !autograd_impl::hooks(tensor).empty(); }

bool has_accumulator_hooks(const at::Tensor& leaf) {
  const auto accumulator = autograd_impl::try_get_grad_accumulator(leaf);
  return accumulator && calls_hooks(*accumulator);
}

bool leads_to_hooks(const torch::autograd::Edge& edge) {
  AccumulateGrad* const found = accumulator_at(edge);
  return found != nullptr && (has_tensor_hooks(found->variable) || calls_hooks(*found));
}

bool is_watched(AccumulateGrad& accumulator) {
  const auto* const leaf = autograd_impl::get_autograd_meta(accumulator.variable);
  return leaf == nullptr || !leaf->hooks_.empty() || leaf->post_acc_grad_hooks_ != nullptr || calls_hooks(accumulator);
}

hooks_aside::hooks_aside(const at::Tensor& tensor) : tensor_(tensor) { std::swap(hooks_, autograd_impl::hooks(tensor_)); }

hooks_aside::~hooks_aside() { std::swap(hooks_, autograd_impl::hooks(tensor_)); }

}  // namespace graphed::impl
