// SPDX-License-Identifier: Apache-2.0
//
// What is measured: programs of published shapes, each as a original function and in its graphed form, on a state of its own.
#pragma once

#include <graphed/impl/inputs.h>
#include <graphed/stats.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace benchmarks {

using at::Tensor;
using graphed::tensor_list;

/// What is repeated, and timed as one call.
enum class unit {
  inference,  ///< a call without autograd
  training,   ///< a call and the backward of its result, gradients of the parameters set to none before
  step,       ///< a call that does all of that itself, and steps the optimizers
};
const char* to_string(unit kind);

/// Whose optimizers a step uses. Those of graphed::optim are LibTorch's fused operators; torch::optim's are what LibTorch's C++ users have.
enum class optimizers { graphed, libtorch };

using function = std::function<Tensor(const tensor_list& inputs)>;

/// What one call is given.
struct batch {
  tensor_list inputs;
  Tensor gradient{};  ///< of a training's result
};

/// Used in turn, so that no call finds its inputs where the last one's were.
using batch_pair = std::array<batch, 2>;

template <class Draw>
batch_pair draw_batches(const Draw& draw) {
  return {draw(), draw()};
}

/// A program of one callable or of several, which are called one after another on the same inputs. The last one's result is the program's.
struct workload {
  batch_pair batches;
  std::vector<function> plain;
  std::vector<function> graphed;                    ///< the same state, by graphed::callable
  std::function<graphed::Statistics()> statistics;  ///< of all of them
  tensor_list state;                                ///< parameters and buffers
  std::vector<function> without_memsets{};          ///< `plain` but for its memsets; where that is compared
  std::vector<function> by_hand{};                  ///< what a graph by hand captures, where that is not `plain`
  std::vector<function> loop_on_host{};             ///< of graphed iterations; where that is compared
  std::vector<function> in_one_call{};              ///< a graphed callable that calls all of `plain`; where that is compared
};

struct entry {
  std::string name;
  unit kind;
  bool small;                        ///< measured on CPUs too
  std::vector<std::string> further;  ///< peers that others of the kind do not have
  /// A new state, drawn from the default generators.
  std::function<workload(c10::Device, optimizers)> make;
  bool is_beyond_a_graph = false;  ///< a host part, or a loop that the host ends: no graph by hand can hold it
};

std::vector<entry> inference_workloads();
std::vector<entry> training_workloads();
std::vector<entry> step_workloads();
std::vector<entry> potential_workloads();
std::vector<entry> host_part_workloads();
std::vector<entry> solver_workloads();

/// All of them.
const std::vector<entry>& workloads();
/// Throws std::invalid_argument where there is none of that name.
const entry& find_workload(const std::string& name);

/// The parameters and buffers of a module.
template <class Holder>
tensor_list state_of(const Holder& module) {
  tensor_list state = module->parameters();
  for (const Tensor& buffer : module->buffers()) {
    state.push_back(buffer);
  }
  return state;
}

}  // namespace benchmarks
