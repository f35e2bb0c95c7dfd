// SPDX-License-Identifier: Apache-2.0
#include "backward/leaf_gradients.h"

#include "backend/staging.h"
#include "torch/accumulators.h"
#include "torch/history.h"
#include "torch/hooks.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/graph_task.h>

namespace graphed::impl {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::Node;

namespace {

// On CUDA a leaf's stream is that of its first use.
c10::Stream stream_of(Node& node) {
  const auto stream = node.stream();
  return stream ? *stream : node.input_metadata(0).stream();
}

// Whether the gradient is what the engine would give the leaf: it casts or sums others.
bool fits(const at::Tensor& gradient, const at::Tensor& leaf) {
  return gradient.scalar_type() == leaf.scalar_type() && gradient.device() == leaf.device() && gradient.layout() == leaf.layout() &&
         gradient.sizes() == leaf.sizes();
}

bool is_plain(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && has_values_in_memory(tensor) && !tensor.is_inference() && !tensor.requires_grad() &&
         tensor.is_non_overlapping_and_dense();
}

// Whether many such sums can be added to at once, with the same bits and without a warning.
bool is_plain_sum(const at::Tensor& sum, const at::Tensor& leaf) {
  return at::isFloatingType(leaf.scalar_type()) && is_plain(sum) && fits(sum, leaf) &&
         torch::autograd::utils::obeys_layout_contract(sum, leaf);
}

// Nothing holds the tensor, and it is neither a view nor has a history: it can become `.grad` as it is.
bool can_become_grad(const at::Tensor& gradient, const at::Tensor& leaf) {
  return gradient.use_count() == 1 && !has_autograd_state(gradient) && gradient.layout() == at::kStrided &&
         ((leaf.is_non_overlapping_and_dense() && gradient.strides() == leaf.strides()) ||
          torch::autograd::utils::obeys_layout_contract(gradient, leaf));
}

// All that a graph knows of it is its address, and it runs only where a `.grad` is found there: nothing has to be kept alive.
at::Tensor over_memory_of(const at::Tensor& sum) {
  return at::for_blob(sum.mutable_data_ptr(), sum.sizes())
      .strides(sum.strides())
      .options(sum.options())
      .target_device(sum.device())
      .make_tensor();
}

void add(const std::vector<at::Tensor>& sums, const std::vector<at::Tensor>& terms) {
  if (!sums.empty() && !overlap(sums)) {
    at::_foreach_add_(sums, terms);
    return;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i].add_(terms[i]);
  }
}

}  // namespace

leaf_store::leaf& leaf_store::at(std::size_t place) {
  if (place >= leaves_.size()) {
    leaves_.resize(place + 1);
  }
  return leaves_[place];
}

Edge leaf_store::edge_of(std::size_t place, const at::Tensor& tensor, c10::Stream current) {
  leaf& kept = at(place);
  kept.is_kept = true;
  const bool may_serve = kept.accumulator != nullptr && is_ordinary_leaf(tensor) && kept.accumulator->input_metadata(0).stream() == current;
  return may_serve && attach(kept.accumulator, tensor) ? Edge(std::move(kept.accumulator), 0) : edge_to(tensor);
}

bool leaf_gradients::may_give(Node& node) {
  const auto* const chosen = torch::autograd::get_current_graph_task_exec_info();
  return chosen != nullptr && chosen->empty() && !c10::GradMode::is_enabled() && !torch::autograd::get_current_graph_task_keep_graph() &&
         !torch::autograd::AnomalyMode::is_enabled() && node.post_hooks().empty();
}

leaf_gradients::leaf_gradients(Node& node, leaf_store& store)
    : node_(node), store_(store), stream_(stream_of(node)), leaves_(node.num_outputs()) {}

// With one owner, no other node leads to the accumulator, and the backward began at none. A leaf may have been frozen, or given a history,
// since the forward.
AccumulateGrad* leaf_gradients::free_accumulator(std::size_t edge) const {
  const Edge& to = node_.next_edge(edge);
  AccumulateGrad* const found = accumulator_at(to);
  const bool is_free = found != nullptr && to.function.use_count() == 1 && !is_watched(*found) && is_ordinary_leaf(found->variable) &&
                       found->variable.requires_grad() && found->input_metadata(0).stream() == stream_;
  return is_free ? found : nullptr;
}

bool leaf_gradients::claim(c10::function_ref<std::shared_ptr<gradient_home>(std::size_t, const at::Tensor&)> make_home, uint64_t user,
                           bool may_move) {
  user_ = user;
  const auto may_write = [&](leaf& leaf, std::size_t place) {
    auto& home = store_.at(place).home;
    if (!home) {
      home = make_home(place, leaf.accumulator->variable);
    }
    leaf.home_alone = home->try_lock();
    return leaf.home_alone && home->may_write(user, may_move);
  };
  const auto writer_of = [&](leaf& leaf, std::size_t place) {
    if (leaf.accumulator == nullptr || leaf.accumulator->variable.numel() == 0 || !(leaf.alone = try_lock(*leaf.accumulator))) {
      return writer::engine;
    }
    const at::Tensor& variable = leaf.accumulator->variable;
    if (leaf.grad().defined()) {
      return is_plain_sum(leaf.grad(), variable) ? writer::graph_adds : writer::engine;
    }
    return variable.layout() == at::kStrided && may_write(leaf, place) ? writer::graph_writes : writer::engine;
  };
  bool are_any = false;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    leaf& leaf = leaves_[i];
    leaf.accumulator = free_accumulator(i);
    leaf.by = writer_of(leaf, i);
    are_any |= leaf.is_the_graphs();
    pattern_.push_back(static_cast<char>(leaf.by));
    if (leaf.by == writer::graph_adds) {
      const void* const address = leaf.grad().mutable_data_ptr();
      pattern_.append(reinterpret_cast<const char*>(&address), sizeof address);
      const auto& home = store_.at(i).home;
      leaf.is_at_home = home && home->memory().const_data_ptr() == address;
      at_home_ &= leaf.is_at_home;
    }
  }
  return are_any;
}

moved_storages leaf_gradients::make_way(pool_order& order) {
  moved_storages moved;
  overwrite next(order);
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const auto& home = store_.at(i).home;
    if (leaves_[i].by == writer::graph_writes) {
      moved += home->make_way(next);
    } else if (leaves_[i].by == writer::graph_adds && leaves_[i].is_at_home && order.has_streams()) {
      if (const auto alone = home->try_lock()) {
        home->wait(order);
      }
    }
  }
  return moved;
}

std::vector<at::Tensor> leaf_gradients::targets() {
  std::vector<at::Tensor> targets;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    leaf& leaf = leaves_[i];
    if (leaf.is_the_graphs()) {
      leaf.target = leaf.by == writer::graph_writes ? store_.at(i).home->memory() : over_memory_of(leaf.grad());
      targets.push_back(leaf.target);
    }
  }
  return targets;
}

// A gradient that would become `.grad` as it is, in eager, shows its layout.
bool leaf_gradients::can_write(const leaf& leaf, const at::Tensor& gradient) const {
  if (!leaf.is_the_graphs() || !gradient.defined() || !fits(gradient, leaf.accumulator->variable)) {
    return false;
  }
  return leaf.by == writer::graph_adds ||
         (has_values_in_memory(gradient) && (gradient.strides() == leaf.target.strides() ||
                                             !torch::autograd::utils::obeys_layout_contract(gradient, leaf.accumulator->variable)));
}

// On CUDA the engine makes the caller's stream wait for the streams of nodes without edges, and of leaves: where edges are left to it, a
// leaf is among them.
void leaf_gradients::leave_one_to_wait_for(const std::vector<at::Tensor>& gradients) {
  if (stream_.device_type() == c10::kCPU) {
    return;
  }
  bool is_any_left = false;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (leaves_[i].by == writer::engine) {
      const auto* const accumulator = gradients[i].defined() ? accumulator_at(node_.next_edge(i)) : nullptr;
      if (accumulator != nullptr && accumulator->variable.device() == stream_.device()) {
        return;
      }
      is_any_left = true;
    }
  }
  for (std::size_t i = 0; i < leaves_.size() && is_any_left; ++i) {
    if (leaves_[i].by != writer::engine && gradients[i].defined()) {
      leaves_[i].by = writer::engine;
      return;
    }
  }
}

std::vector<bool> leaf_gradients::write(std::vector<at::Tensor>& gradients) {
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    leaves_[i].by = can_write(leaves_[i], gradients[i]) ? leaves_[i].by : writer::engine;
  }
  leave_one_to_wait_for(gradients);
  std::vector<bool> given;
  std::vector<at::Tensor> written, values, sums, terms;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    given.push_back(leaves_[i].is_the_graphs());
    if (given[i]) {
      const bool is_sum = leaves_[i].by == writer::graph_adds;
      (is_sum ? sums : written).push_back(leaves_[i].target);
      (is_sum ? terms : values).push_back(std::exchange(gradients[i], {}));
    }
  }
  const c10::AutoGradMode no_history(false);
  if (!written.empty()) {
    at::_foreach_copy_(written, values);
  }
  add(sums, terms);
  return given;
}

bool leaf_gradients::give(std::vector<at::Tensor>& gradients, result_set& results, const std::vector<bool>& given, bool keeps_edges) {
  leaves_.resize(gradients.size());
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    leaf& leaf = leaves_[i];
    if (i < given.size() && given[i]) {
      settle(i);
      continue;
    }
    leaf.accumulator = free_accumulator(i);
    const bool is_taken = leaf.accumulator != nullptr && (!gradients[i].defined() || fits(gradients[i], leaf.accumulator->variable));
    leaf.by = is_taken ? writer::node : writer::engine;
  }
  leave_one_to_wait_for(gradients);
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (leaves_[i].by == writer::node && gradients[i].defined() && !give(i, gradients[i], results)) {
      leaves_[i].by = writer::engine;
    }
  }
  add(sums_, terms_);
  reads_ |= !sums_.empty();
  for (auto& leaf : leaves_) {
    leaf.alone = {};
    leaf.home_alone = {};
  }
  if (!keeps_edges) {
    cut(gradients);
  }
  return reads_;
}

// As after the engine's accumulation.
void leaf_gradients::settle(std::size_t place) {
  at::Tensor& grad = leaves_[place].grad();
  if (leaves_[place].by == writer::graph_writes) {
    grad = store_.at(place).home->hand_out(user_);
  } else {
    grad.unsafeGetTensorImpl()->bump_version();
  }
}

bool leaf_gradients::give(std::size_t place, at::Tensor& gradient, result_set& results) {
  leaf& leaf = leaves_[place];
  if (!leaf.alone && !(leaf.alone = try_lock(*leaf.accumulator))) {
    return false;
  }
  const at::Tensor& variable = leaf.accumulator->variable;
  at::Tensor& grad = leaf.grad();
  if (grad.defined()) {
    if (!is_plain(gradient) || !is_plain_sum(grad, variable) || grad.strides() != gradient.strides()) {
      return false;
    }
    sums_.push_back(grad);
    terms_.push_back(std::move(gradient));
  } else if (can_become_grad(gradient, variable)) {
    gradient.unsafeGetTensorImpl()->set_allow_tensor_metadata_change(false);
    grad = std::move(gradient);
    results.retain(place, grad);
  } else {
    AccumulateGrad::accumulateGrad(variable, grad, gradient, /*num_expected_refs=*/1,
                                   [&grad](at::Tensor&& made) { grad = std::move(made); });
    gradient.reset();
    reads_ = true;
  }
  return true;
}

// In place: a node that others lead to takes no new edges.
void leaf_gradients::cut(std::vector<at::Tensor>& gradients) {
  auto& edges = node_.next_edges();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (leaves_[i].by == writer::engine) {
      std::swap(edges[kept], edges[i]);
      std::swap(gradients[kept++], gradients[i]);
      continue;
    }
    const Edge given = std::move(edges[i]);
    if (i < store_.leaves_.size() && store_.leaves_[i].is_kept && detach(given.function)) {
      store_.leaves_[i].accumulator = given.function;
    }
  }
  edges.resize(kept);
  gradients.resize(kept);
  if (kept == 0) {
    store_.list_ = std::exchange(edges, {});
  }
}

}  // namespace graphed::impl
