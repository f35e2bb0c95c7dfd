// SPDX-License-Identifier: Apache-2.0
#include "backward/leaf_gradients.h"

#include "backend/staging.h"
#include "torch/accumulators.h"
#include "torch/history.h"
#include "torch/hooks.h"

#include <ATen/ops/_foreach_add.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace graphed {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::Node;

namespace {

// With this one owner, no other node leads to the accumulator, and the backward began at none.
bool has_one_owner(const Edge& edge) { return edge.function.use_count() == 1; }

// A leaf may have been frozen, or given a history, since the forward.
bool is_still_leaf(const at::Tensor& tensor) { return is_ordinary_leaf(tensor) && tensor.requires_grad(); }

}  // namespace

bool fits(const at::Tensor& gradient, const at::Tensor& leaf) {
  return gradient.scalar_type() == leaf.scalar_type() && gradient.device() == leaf.device() && gradient.layout() == leaf.layout() &&
         gradient.sizes() == leaf.sizes();
}

// On CUDA a leaf's stream is that of its first use.
c10::Stream stream_of(Node& node) {
  const auto stream = node.stream();
  return stream ? *stream : node.input_metadata(0).stream();
}

AccumulateGrad* free_accumulator(const Edge& edge, c10::Stream stream) {
  AccumulateGrad* const found = accumulator_at(edge);
  const bool is_free = found != nullptr && has_one_owner(edge) && !is_watched(*found) && is_still_leaf(found->variable) &&
                       found->input_metadata(0).stream() == stream;
  return is_free ? found : nullptr;
}

static bool is_plain(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && has_values_in_memory(tensor) && !tensor.is_inference() && !tensor.requires_grad() &&
         tensor.is_non_overlapping_and_dense();
}

bool is_plain_sum(const at::Tensor& sum, const at::Tensor& leaf) {
  return at::isFloatingType(leaf.scalar_type()) && is_plain(sum) && fits(sum, leaf) &&
         torch::autograd::utils::obeys_layout_contract(sum, leaf);
}

bool overlap(const std::vector<at::Tensor>& tensors) {
  std::vector<std::pair<const char*, const char*>> ranges;
  ranges.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    const auto* const begin = static_cast<const char*>(tensor.const_data_ptr());
    ranges.emplace_back(begin, begin + tensor.nbytes());
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first < ranges[i - 1].second) {
      return true;
    }
  }
  return false;
}

namespace {

// Nobody holds the tensor, and it is neither a view nor has a history: it can become `.grad` as it is.
bool can_become_grad(const at::Tensor& gradient, const at::Tensor& leaf) {
  return gradient.use_count() == 1 && !has_autograd_state(gradient) && gradient.layout() == at::kStrided &&
         ((leaf.is_non_overlapping_and_dense() && gradient.strides() == leaf.strides()) ||
          torch::autograd::utils::obeys_layout_contract(gradient, leaf));
}

/// What is added to `.grad`, all at once, while no other thread can.
class sums {
 public:
  /// Takes the gradient and the lock, or neither and is false.
  bool add(const at::Tensor& sum, at::Tensor& gradient, const at::Tensor& leaf, std::unique_lock<std::mutex>&& alone) {
    if (!is_plain(gradient) || !is_plain_sum(sum, leaf) || sum.strides() != gradient.strides()) {
      return false;
    }
    sums_.push_back(sum);
    gradients_.push_back(std::move(gradient));
    alone_.push_back(std::move(alone));
    return true;
  }
  bool compute() {
    if (sums_.empty()) {
      return false;
    }
    if (!overlap(sums_)) {
      at::_foreach_add_(sums_, gradients_);
    } else {
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        sums_[i].add_(gradients_[i]);
      }
    }
    alone_.clear();
    return true;
  }

 private:
  std::vector<at::Tensor> sums_, gradients_;
  std::vector<std::unique_lock<std::mutex>> alone_;
};

/// What one backward does to the leaves below its node.
class distribution {
 public:
  distribution(Node& node, std::vector<at::Tensor>& gradients, parked_accumulators& parked, result_set& results,
               const std::vector<bool>& has_been_given)
      : node_(node), gradients_(gradients), parked_(parked), results_(results), stream_(stream_of(node)) {
    free_.reserve(gradients.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const bool is_given = !has_been_given.empty() && has_been_given[i];
      AccumulateGrad* const found = is_given ? accumulator_at(node.next_edge(i)) : free_accumulator(node.next_edge(i), stream_);
      free_.push_back(found != nullptr && (!gradients[i].defined() || fits(gradients[i], found->variable)) ? found : nullptr);
    }
    leave_one_to_wait_for();
  }

  bool run(bool keeps_edges) {
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (free_[i] != nullptr && gradients_[i].defined() && !give(i)) {
        free_[i] = nullptr;
      }
    }
    reads_ |= sums_.compute();
    if (!keeps_edges) {
      cut();
    }
    return reads_;
  }

 private:
  // The engine makes the caller's stream wait for the streams of nodes without edges, and of leaves.
  void leave_one_to_wait_for() {
    const auto is_left = [&](std::size_t i) { return free_[i] == nullptr; };
    bool is_any_left = false, is_waited_for = stream_.device_type() == c10::kCPU;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const auto* const leaf = is_left(i) && gradients_[i].defined() ? accumulator_at(node_.next_edge(i)) : nullptr;
      is_any_left |= is_left(i);
      is_waited_for |= leaf != nullptr && leaf->variable.device() == stream_.device();
    }
    for (std::size_t i = 0; i < free_.size() && is_any_left && !is_waited_for; ++i) {
      if (!is_left(i) && gradients_[i].defined()) {
        free_[i] = nullptr;
        is_waited_for = true;
      }
    }
  }

  // False where another thread is at this leaf, or its `.grad` is none that many can be added to at once.
  bool give(std::size_t place) {
    AccumulateGrad& accumulator = *free_[place];
    at::Tensor& gradient = gradients_[place];
    std::unique_lock<std::mutex> alone = try_lock(accumulator);
    if (!alone) {
      return false;
    }
    const at::Tensor& leaf = accumulator.variable;
    at::Tensor& grad = leaf.mutable_grad();
    if (grad.defined()) {
      return sums_.add(grad, gradient, leaf, std::move(alone));
    }
    if (can_become_grad(gradient, leaf)) {
      gradient.unsafeGetTensorImpl()->set_allow_tensor_metadata_change(false);
      grad = std::move(gradient);
      results_.retain(place, grad);
      return true;
    }
    AccumulateGrad::accumulateGrad(leaf, grad, gradient, /*num_expected_refs=*/1, [&grad](at::Tensor&& made) { grad = std::move(made); });
    gradient.reset();
    reads_ = true;
    return true;
  }

  // In place: a node that others lead to takes no new edges.
  void cut() {
    auto& edges = node_.next_edges();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (free_[i] == nullptr) {
        std::swap(edges[kept], edges[i]);
        std::swap(gradients_[kept++], gradients_[i]);
      } else {
        parked_.park(i, std::move(edges[i]));
      }
    }
    edges.resize(kept);
    gradients_.resize(kept);
    if (kept == 0) {
      parked_.give_back(std::exchange(edges, {}));
    }
  }

  Node& node_;
  std::vector<at::Tensor>& gradients_;
  parked_accumulators& parked_;
  result_set& results_;
  const c10::Stream stream_;
  std::vector<AccumulateGrad*> free_;  ///< for each edge, or null: the engine's
  sums sums_;
  bool reads_ = false;
};

}  // namespace

bool backward_only_accumulates() {
  const auto* const chosen = torch::autograd::get_current_graph_task_exec_info();
  return chosen != nullptr && chosen->empty() && !c10::GradMode::is_enabled() && !torch::autograd::get_current_graph_task_keep_graph() &&
         !torch::autograd::AnomalyMode::is_enabled();
}

bool give_to_leaves(Node& node, std::vector<at::Tensor>& gradients, parked_accumulators& parked, result_set& results,
                    const std::vector<bool>& has_been_given, bool keeps_edges) {
  return distribution(node, gradients, parked, results, has_been_given).run(keeps_edges);
}

}  // namespace graphed
