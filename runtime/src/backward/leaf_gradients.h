// SPDX-License-Identifier: Apache-2.0
//
// What writes the `.grad` of each leaf below a node: the graph of a backward, the node after it, or autograd's engine. The engine uses an
// accumulator for each leaf, which costs more than the rest of a backward. It is the engine wherever a user could see the difference.
#pragma once

#include "backward/gradient_home.h"
#include "capture/result_set.h"
#include "report/thread_number.h"
#include "torch/node.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>
#include <c10/util/FunctionRef.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace graphed::impl {

/// What a slot keeps of its leaves from one call to the next, each at the place of its edge. It is the accumulator, which nothing else
/// finds meanwhile, nor the stream that it was made on. It is also the home, where a graph has written the leaf's gradient.
class leaf_store {
 public:
  /// The gradient edge of a tensor whose shape, dtype and device are the same for every call with this place.
  torch::autograd::Edge edge_of(std::size_t place, const at::Tensor& tensor, c10::Stream current);
  /// An empty list with room for as many edges as the last node had that has lost all of them.
  torch::autograd::edge_list take_list() { return std::exchange(list_, {}); }

 private:
  friend class leaf_gradients;
  struct leaf {
    bool is_kept = false;  ///< edge_of() makes its edges
    owned_node<torch::autograd::Node> accumulator;
    std::shared_ptr<gradient_home> home;
  };
  leaf& at(std::size_t place);
  std::vector<leaf> leaves_;
  torch::autograd::edge_list list_;
};

/// For one backward, within apply() of a node. From claim() to its end, no other thread accumulates into the leaves that the graph gets.
class leaf_gradients {
 public:
  /// Whether it may: the backward of this thread does nothing with leaves but accumulate their gradients. No inputs were chosen, the graph
  /// is not kept, no second derivative is prepared, anomalies are not searched, and the node has no hook that sees gradients.
  static bool may_give(torch::autograd::Node& node);

  leaf_gradients(torch::autograd::Node& node, leaf_store& store);
  leaf_gradients(const leaf_gradients&) = delete;
  leaf_gradients& operator=(const leaf_gradients&) = delete;

  /// Before the graph, under `grads_in_graph`: the leaves that it may give their gradients. False where there are none. `make_home` is
  /// asked for the homes that are missing, each of which is for one edge. `user` gets what is written; `may_move`: what callers hold may go
  /// to other addresses.
  bool claim(c10::function_ref<std::shared_ptr<gradient_home>(std::size_t edge, const at::Tensor& leaf)> make_home, uint64_t user,
             bool may_move);
  /// For each edge: whether the graph writes the leaf's `.grad`, adds to it in place, or neither.
  const std::string& pattern() const { return pattern_; }
  /// Whether what is added to is where graphs have left it, and so will be there again.
  bool are_at_home() const { return at_home_; }
  /// Before the graph, whose pool has this order, runs or is captured: the current stream waits for the last writers of gradients that it
  /// will overwrite. What callers hold of them moves. Returns how many.
  moved_storages make_way(pool_order& order);
  /// Before a capture: what it is to write besides its own memory.
  std::vector<at::Tensor> targets();
  /// Within the capture: writes and adds these gradients, one for each edge, and says which; those are undefined then.
  std::vector<bool> write(std::vector<at::Tensor>& gradients);

  /// After the graph: the leaves that it has `given` theirs have them. Writes or adds those of the other leaves that the node alone leads
  /// to, where nothing watches, as torch::autograd::AccumulateGrad does. Then both the edge and the gradient are gone, and the accumulator
  /// is in the store. What became a `.grad` is retained by `results`, which returned the gradients. With `keeps_edges` all edges stay, as
  /// other threads may be going back through the node. True where memory of a gradient was read.
  bool give(std::vector<at::Tensor>& gradients, result_set& results, const std::vector<bool>& given, bool keeps_edges);

 private:
  enum class writer : char { engine = '.', node = 'n', graph_writes = 'w', graph_adds = 'a' };
  struct leaf {
    torch::autograd::AccumulateGrad* accumulator = nullptr;
    writer by = writer::engine;
    bool is_at_home = false;  ///< graphs have left its `.grad` where it is
    at::Tensor target;
    std::unique_lock<std::mutex> alone, home_alone;

    bool is_the_graphs() const { return by == writer::graph_writes || by == writer::graph_adds; }
    at::Tensor& grad() const { return accumulator->variable.mutable_grad(); }
  };
  torch::autograd::AccumulateGrad* free_accumulator(std::size_t edge) const;
  bool can_write(const leaf& leaf, const at::Tensor& gradient) const;
  void leave_one_to_wait_for(const std::vector<at::Tensor>& gradients);
  /// False where another thread is at this leaf, or its `.grad` is none that many can be added to at once.
  bool give(std::size_t place, at::Tensor& gradient, result_set& results);
  void settle(std::size_t place);
  void cut(std::vector<at::Tensor>& gradients);

  torch::autograd::Node& node_;
  leaf_store& store_;
  const c10::Stream stream_;
  std::vector<leaf> leaves_;
  std::vector<at::Tensor> sums_, terms_;  ///< what is added to `.grad`, all at once
  std::string pattern_;
  uint64_t user_ = no_thread;
  bool at_home_ = true, reads_ = false;
};

}  // namespace graphed::impl
