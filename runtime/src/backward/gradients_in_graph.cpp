// SPDX-License-Identifier: Apache-2.0
#include "backward/gradients_in_graph.h"

#include "backend/staging.h"
#include "backward/leaf_gradients.h"
#include "torch/accumulators.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <utility>

namespace graphed {

using torch::autograd::AccumulateGrad;

namespace {

at::Tensor& grad_of(const AccumulateGrad& accumulator) { return accumulator.variable.mutable_grad(); }

// All that a graph knows of it is its address, and it runs only where a `.grad` is found there: nothing has to be kept alive.
at::Tensor over_memory_of(const at::Tensor& sum) {
  return at::for_blob(sum.mutable_data_ptr(), sum.sizes())
      .strides(sum.strides())
      .options(sum.options())
      .target_device(sum.device())
      .make_tensor();
}

}  // namespace

gradients_in_graph::gradients_in_graph(torch::autograd::Node& node, gradient_homes& homes, c10::function_ref<home_maker> make_home,
                                       std::thread::id user, bool may_move)
    : node_(node), homes_(homes), user_(user), may_move_(may_move), leaves_(node.num_outputs()) {
  homes_.resize(leaves_.size());
  const c10::Stream stream = stream_of(node);
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    leaf& leaf = leaves_[i];
    leaf.accumulator = free_accumulator(node.next_edge(i), stream);
    leaf.gets = way_of(leaf, i, make_home);
    any_ |= leaf.gets != way::left;
    pattern_.push_back(static_cast<char>(leaf.gets));
    if (leaf.gets == way::added) {
      const void* const address = grad_of(*leaf.accumulator).mutable_data_ptr();
      pattern_.append(reinterpret_cast<const char*>(&address), sizeof address);
      at_home_ &= homes_[i] && homes_[i]->address() == address;
    }
  }
}

gradients_in_graph::way gradients_in_graph::way_of(leaf& leaf, std::size_t edge, c10::function_ref<home_maker> make_home) {
  if (leaf.accumulator == nullptr || leaf.accumulator->variable.numel() == 0) {
    return way::left;
  }
  leaf.alone = try_lock(*leaf.accumulator);
  if (!leaf.alone) {
    return way::left;
  }
  const at::Tensor& variable = leaf.accumulator->variable;
  const at::Tensor& grad = grad_of(*leaf.accumulator);
  if (grad.defined()) {
    return is_plain_sum(grad, variable) ? way::added : way::left;
  }
  return variable.layout() == at::kStrided && may_write(leaf, edge, make_home) ? way::written : way::left;
}

bool gradients_in_graph::may_write(leaf& leaf, std::size_t edge, c10::function_ref<home_maker> make_home) {
  auto& home = homes_[edge];
  if (!home) {
    home = make_home(edge, leaf.accumulator->variable);
  }
  leaf.home_alone = home->try_lock();
  return leaf.home_alone && home->may_write(user_, may_move_);
}

std::size_t gradients_in_graph::make_way(pool_order& order) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    moved += leaves_[i].gets == way::written && homes_[i]->make_way(order) ? 1 : 0;
  }
  return moved;
}

std::vector<at::Tensor> gradients_in_graph::targets() {
  std::vector<at::Tensor> targets;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    leaf& leaf = leaves_[i];
    if (leaf.gets != way::left) {
      leaf.target = leaf.gets == way::written ? homes_[i]->memory() : over_memory_of(grad_of(*leaf.accumulator));
      targets.push_back(leaf.target);
    }
  }
  return targets;
}

// A gradient that would become `.grad` as it is, in eager, shows how it lies in memory.
bool gradients_in_graph::can_give(const leaf& leaf, const at::Tensor& gradient) const {
  if (leaf.gets == way::left || !gradient.defined() || !fits(gradient, leaf.accumulator->variable)) {
    return false;
  }
  return leaf.gets == way::added ||
         (has_values_in_memory(gradient) && (gradient.strides() == leaf.target.strides() ||
                                             !torch::autograd::utils::obeys_layout_contract(gradient, leaf.accumulator->variable)));
}

void gradients_in_graph::leave_one_to_wait_for(std::vector<bool>& given, const std::vector<at::Tensor>& gradients) const {
  if (stream_of(node_).device_type() == c10::kCPU) {
    return;
  }
  bool is_any_left = false, is_waited_for = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    is_any_left |= !given[i];
    is_waited_for |= !given[i] && gradients[i].defined() && accumulator_at(node_.next_edge(i)) != nullptr;
  }
  const auto last = std::find(given.rbegin(), given.rend(), true);
  if (is_any_left && !is_waited_for && last != given.rend()) {
    *last = false;
  }
}

std::vector<bool> gradients_in_graph::give(std::vector<at::Tensor>& gradients) const {
  std::vector<bool> given;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    given.push_back(can_give(leaves_[i], gradients[i]));
  }
  leave_one_to_wait_for(given, gradients);
  std::vector<at::Tensor> written, values, sums, terms;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (given[i]) {
      const bool is_sum = leaves_[i].gets == way::added;
      (is_sum ? sums : written).push_back(leaves_[i].target);
      (is_sum ? terms : values).push_back(std::exchange(gradients[i], {}));
    }
  }
  const c10::AutoGradMode no_history(false);
  if (!written.empty()) {
    at::_foreach_copy_(written, values);
  }
  if (!sums.empty() && !overlap(sums)) {
    at::_foreach_add_(sums, terms);
    return given;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i].add_(terms[i]);
  }
  return given;
}

void gradients_in_graph::finish(const std::vector<bool>& given) {
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (!given[i]) {
      continue;
    }
    at::Tensor& grad = grad_of(*leaves_[i].accumulator);
    if (leaves_[i].gets == way::written) {
      grad = homes_[i]->hand_out(user_);
    } else {
      grad.unsafeGetTensorImpl()->bump_version();
    }
  }
  leaves_.clear();
}

}  // namespace graphed
