// SPDX-License-Identifier: Apache-2.0
//
// A runtime reaches into LibTorch where its headers said that things are: with another LibTorch a program would go wrong anywhere. It ends
// as the runtime is loaded.
#include "torch/accumulators.h"
#include "torch/history.h"
#include "torch/modes.h"
#include "torch/module_parts.h"
#include "torch/raw_tensors.h"

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <caffe2/core/common.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/headeronly/version.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#ifndef GRAPHED_BUILT_FOR
#define GRAPHED_BUILT_FOR TORCH_VERSION
#endif

namespace graphed::impl {
namespace {

namespace autograd_impl = torch::autograd::impl;

at::Tensor make_leaf() { return allocate_tensor({1}, {1}, at::kFloat, at::kCPU).set_requires_grad(true); }

bool is_autograd_state_in_place(const at::Tensor& leaf) {
  const auto* const state = autograd_impl::get_autograd_meta(leaf);
  const auto accumulator = autograd_impl::grad_accumulator(leaf);
  return &state->grad_ == &leaf.mutable_grad() && &state->hooks_ == &autograd_impl::hooks(leaf) &&
         &state->post_acc_grad_hooks_ == &autograd_impl::post_acc_grad_hooks(leaf) && refers_to(state->grad_accumulator_, accumulator);
}

// By what is before and behind its lock.
bool is_node_in_place(const at::Tensor& leaf) {
  const auto edge = edge_to(leaf);
  const auto* const accumulator = accumulator_at(edge);
  return accumulator != nullptr && accumulator->sequence_nr() == UINT64_MAX && accumulator->num_inputs() == 1 &&
         accumulator->input_metadata(0).device() == leaf.device() && accumulator->input_metadata(0).stream().device() == leaf.device() &&
         accumulator->variable.is_same(leaf);
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

// What the runtime reads past LibTorch's accessors and is not where LibTorch's own code has it, in words; or null.
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

// Without what comes after the three numbers.
std::string numbers_of(const std::string& version) { return version.substr(0, version.find_first_not_of("0123456789.")); }

struct load_check {
  load_check() {
    const auto& options = caffe2::GetBuildOptions();
    const auto loaded = options.find("TORCH_VERSION");
    if (loaded != options.end() && numbers_of(loaded->second) != numbers_of(GRAPHED_BUILT_FOR)) {
      std::fprintf(stderr,
                   "graphed: the runtime was built for LibTorch %s and LibTorch %s was loaded: build it again, or name the former.\n",
                   GRAPHED_BUILT_FOR, loaded->second.c_str());
      std::_Exit(EXIT_FAILURE);
    }
    if (const char* const part = misplaced_part()) {
      std::fprintf(stderr,
                   "graphed: the LibTorch that was loaded has %s elsewhere than its headers say: build the runtime with its own headers.\n",
                   part);
      std::_Exit(EXIT_FAILURE);
    }
  }
};

const load_check at_load;

}  // namespace
}  // namespace graphed::impl
