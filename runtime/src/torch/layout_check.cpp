// SPDX-License-Identifier: Apache-2.0
#include "torch/layout_check.h"

#include "torch/accumulators.h"
#include "torch/history.h"
#include "torch/modes.h"
#include "torch/module_parts.h"
#include "torch/raw_tensors.h"

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/variable.h>

#include <cstdint>

namespace graphed {
namespace {

namespace impl = torch::autograd::impl;

at::Tensor make_leaf() { return allocate_tensor({1}, {1}, at::kFloat, at::kCPU).set_requires_grad(true); }

bool is_autograd_state_in_place(const at::Tensor& leaf) {
  const auto* const state = impl::get_autograd_meta(leaf);
  const auto accumulator = impl::grad_accumulator(leaf);
  return &state->grad_ == &leaf.mutable_grad() && &state->hooks_ == &impl::hooks(leaf) &&
         &state->post_acc_grad_hooks_ == &impl::post_acc_grad_hooks(leaf) && refers_to(state->grad_accumulator_, accumulator);
}

// By what lies before and behind its lock.
bool is_node_in_place(const at::Tensor& leaf) {
  const auto edge = edge_to(leaf);
  const auto* const accumulator = accumulator_at(edge);
  return accumulator != nullptr && accumulator->sequence_nr() == UINT64_MAX && accumulator->num_inputs() == 1 &&
         accumulator->input_metadata(0).device() == leaf.device() && accumulator->variable.is_same(leaf);
}

// Behind the whole state of a tensor.
bool is_view_state_in_place(const at::Tensor& leaf) { return is_ordinary_view(leaf.view({1}), leaf); }

bool are_module_parts_in_place() {
  torch::nn::Module parent;
  const auto child = parent.register_module("child", std::make_shared<torch::nn::Module>());
  const at::Tensor parameter = parent.register_parameter("parameter", make_leaf());
  const at::Tensor buffer = parent.register_buffer("buffer", make_leaf().detach());
  return parameters_of(parent).size() == 1 && parameters_of(parent).front().value().is_same(parameter) && buffers_of(parent).size() == 1 &&
         buffers_of(parent).front().value().is_same(buffer) && children_of(parent).size() == 1 &&
         children_of(parent).front().value() == child;
}

}  // namespace

const char* misplaced_part() {
  const c10::InferenceMode normal_tensors(false);
  const c10::AutoGradMode with_history(true);
  const at::Tensor leaf = make_leaf();
  return !are_settings_in_place()            ? "the settings of its context"
         : !is_autograd_state_in_place(leaf) ? "autograd's state of a tensor"
         : !is_node_in_place(leaf)           ? "the members of an autograd node"
         : !is_view_state_in_place(leaf)     ? "autograd's state of a view"
         : !are_module_parts_in_place()      ? "the members of a module"
                                             : nullptr;
}

}  // namespace graphed
