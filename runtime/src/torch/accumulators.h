// SPDX-License-Identifier: Apache-2.0
//
// The nodes through which leaves get their `.grad`.
#pragma once

#include "torch/node.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <c10/core/Stream.h>

#include <mutex>
#include <utility>
#include <vector>

namespace graphed::impl {

/// A leaf's accumulator, or null where the edge leads to another node.
torch::autograd::AccumulateGrad* accumulator_at(const torch::autograd::Edge& edge);
/// Whether the leaf has one now: a graph that leads to the leaf is alive.
bool has_accumulator(const at::Tensor& leaf);
/// While it is held, no other thread accumulates there. Not held where one does.
std::unique_lock<std::mutex> try_lock(torch::autograd::AccumulateGrad& accumulator);
/// Whether the tensor, which may have been given a history since, is a leaf whose `.grad` has its own dtype.
bool is_ordinary_leaf(const at::Tensor& tensor);

/// Makes it the leaf's accumulator. False where the leaf has one.
bool attach(const owned_node<torch::autograd::Node>& accumulator, const at::Tensor& leaf);
/// Its leaf has none from now on, as after an eager backward. False where something else owns it, or the leaf has another.
bool detach(const owned_node<torch::autograd::Node>& accumulator);

/// While it lives, a leaf has an accumulator of the holder's, which no graph made before leads to. Keeps a reference to
/// the leaf.
class accumulator_aside {
 public:
  /// Makes `instead` where there is none.
  accumulator_aside(const at::Tensor& leaf, owned_node<torch::autograd::Node>& instead);
  ~accumulator_aside();
  accumulator_aside& operator=(accumulator_aside&&) = delete;

 private:
  const at::Tensor& leaf_;
  weak_node original_;
};

/// While it lives, the accumulators that it has moved run on one stream. Each was made on the stream that was current then, lives as long
/// as any graph that leads to its leaf, and autograd makes its stream wait for the gradient's. Thread safety: any thread may call
/// move_next().
class accumulators_on_stream {
 public:
  explicit accumulators_on_stream(c10::Stream stream) : stream_(stream) {}
  /// They are on their own streams again.
  ~accumulators_on_stream();
  accumulators_on_stream& operator=(accumulators_on_stream&&) = delete;

  /// Moves those of the stream's device that the node, which is about to run, gives gradients to.
  void move_next(const torch::autograd::Node& node);

 private:
  const c10::Stream stream_;
  std::mutex mutex_;
  std::vector<std::pair<owned_node<torch::autograd::Node>, c10::Stream>> moved_;
};

}  // namespace graphed::impl
