// SPDX-License-Identifier: Apache-2.0
//
// Under `grads_in_graph`: the leaves below a node whose `.grad` its backward graph writes or adds to itself. Which ones, and how, is seen
// anew in each backward, and tells its graph apart from others.
#pragma once

#include "backward/gradient_home.h"

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace graphed {

/// One for each edge of a node; null where no graph has written that leaf's gradient yet.
using gradient_homes = std::vector<std::shared_ptr<gradient_home>>;
using home_maker = std::shared_ptr<gradient_home>(std::size_t edge, const at::Tensor& leaf);

/// Within apply() of a node, in a backward that only accumulates. Until finish(), or its end, no other thread accumulates into these
/// leaves.
class gradients_in_graph {
 public:
  /// `make_home` is asked for the homes that are missing, each of which is for one edge. `user` gets what is written;
  /// `may_move`: what callers hold may go to other addresses.
  gradients_in_graph(torch::autograd::Node& node, gradient_homes& homes, c10::function_ref<home_maker> make_home, std::thread::id user,
                     bool may_move);
  gradients_in_graph(const gradients_in_graph&) = delete;
  gradients_in_graph& operator=(const gradients_in_graph&) = delete;

  /// For each edge: whether the leaf's `.grad` is to be written, added to where it lies, or left to what comes after the graph.
  const std::string& pattern() const { return pattern_; }
  bool are_any() const { return any_; }
  /// Whether what is added to lies where graphs have left it, and so will lie there again.
  bool are_at_home() const { return at_home_; }

  /// Before the graph, whose pool has this order, runs or is captured: the current stream waits for whoever wrote those gradients last that
  /// it will overwrite, and what callers hold of them moves. Returns how many.
  std::size_t make_way(pool_order& order);
  /// Before a capture: what it is to write besides its own memory.
  std::vector<at::Tensor> targets();
  /// Within the capture: writes and adds these gradients, one for each edge, and tells which; those are undefined then. On CUDA, where any
  /// edge is left to the engine, a leaf is among them: the engine makes the caller's stream wait for such.
  std::vector<bool> give(std::vector<at::Tensor>& gradients) const;
  /// After a replay of a graph that has given these: `.grad` is as after the engine's accumulation.
  void finish(const std::vector<bool>& given);

 private:
  enum class way : char { left = '.', written = 'w', added = 'a' };
  struct leaf {
    torch::autograd::AccumulateGrad* accumulator = nullptr;
    way gets = way::left;
    at::Tensor target;
    std::unique_lock<std::mutex> alone, home_alone;
  };
  way way_of(leaf& leaf, std::size_t edge, c10::function_ref<home_maker> make_home);
  bool may_write(leaf& leaf, std::size_t edge, c10::function_ref<home_maker> make_home);
  bool can_give(const leaf& leaf, const at::Tensor& gradient) const;
  void leave_one_to_wait_for(std::vector<bool>& given, const std::vector<at::Tensor>& gradients) const;

  torch::autograd::Node& node_;
  gradient_homes& homes_;
  const std::thread::id user_;
  const bool may_move_;
  std::vector<leaf> leaves_;
  std::string pattern_;
  bool any_ = false, at_home_ = true;
};

}  // namespace graphed
