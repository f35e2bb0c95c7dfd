// SPDX-License-Identifier: Apache-2.0
//
// The ways to run a workload that are compared.
#pragma once

#include "workload.h"

#include <memory>
#include <string>
#include <vector>

namespace benchmarks {

/// Runs one workload's unit again and again.
class peer {
 public:
  virtual ~peer() = default;
  /// Runs units until later ones are what is measured: warm-ups, captures, the first replay. Returns how many changed the state.
  virtual int prepare() = 0;
  /// One unit on the next batch.
  virtual Tensor run() = 0;
  /// Of a peer whose run() copies no inputs: puts the next batch where it reads them.
  virtual void stage() {}
  /// Of a training, those of the last unit.
  virtual tensor_list gradients() const = 0;
};

/// - `plain`: the callable itself
/// - `libtorch`: the callable with torch::optim's optimizers; of steps alone
/// - `handwritten`: at::cuda::CUDAGraph of each callable, over static inputs that are copied to; for a training, forward and backward are
///   one
/// - `launch`: bare launches of each callable's graph, or of its forward's and backward's: the floor
/// - `without-memsets`: bare launches of the same work without its memsets, captured without them; of memsets-24 alone
/// - `loop-on-host`: a loop on the host over a graphed::callable of one iteration; of solver-512 alone
/// - `in-one-call`: one graphed::callable whose function calls all of the program's; of policies-24 alone
/// - `graphed`: graphed::callable
/// - `graphed-here`: graphed::callable, its backward on the calling thread; of trainings alone
std::vector<std::string> peers_of(const entry& entry);

optimizers optimizers_of(const std::string& peer);

/// A peer that runs `workload`, which must outlive it. Throws std::invalid_argument where there is none of that name for it.
std::unique_ptr<peer> make_peer(const std::string& name, unit kind, const workload& workload);

}  // namespace benchmarks
