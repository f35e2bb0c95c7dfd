// SPDX-License-Identifier: Apache-2.0
//
// Collectives that no graph sees, and meetings of ranks on the host.
// REQUIRES: torch
// RUN: not graphgen --check %s %libtorch_flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <graphed/process_group.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

struct Rank {
  GRAPHED(x: f32[2] inplace) void sums(torch::Tensor x) {
    std::vector<torch::Tensor> all{x};
    // CHECK: collective.cpp:[[#@LINE+2]]:13: error: 'allreduce' is a collective that says of itself that it writes nothing; 'graphed::ProcessGroup' has those that a graph holds [graphed-collective]
    // CHECK: collective.cpp:[[#@LINE+1]]:33: error: 'wait' waits for a collective beside the graph: replays do not wait [graphed-collective]
    others->allreduce(all, {})->wait();
  }
  GRAPHED(x: f32[2] inplace) void of_a_backend(torch::Tensor x) {
    std::vector<torch::Tensor> all{x};
    // CHECK: :[[#@LINE+1]]:14: error: 'allreduce' is a collective and no operator: no recorder sees it; 'graphed::ProcessGroup' has those that a graph holds [graphed-collective]
    backend->allreduce(all);
  }
  GRAPHED(x: f32[2] inplace) void of_one_rank(torch::Tensor x) {
    if (group->rank() == 0) {
      // CHECK: :[[#@LINE+2]]:14: warning: 'all_reduce_' is called under a condition on 'rank', which differs between ranks
      // CHECK: note: the condition is here
      group->all_reduce_(x);
    }
  }
  GRAPHED(x: f32[2]) void meets(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:12: error: 'barrier' meets the other ranks on the host when the graph is captured, not in replays [graphed-collective]
    group->barrier();
    // CHECK: :[[#@LINE+1]]:12: error: 'check_parameters' meets the other ranks
    group->check_parameters(*net);
    // CHECK: :[[#@LINE+1]]:12: warning: 'average_gradients' averages each '.grad', which only a 'step' may do [graphed-collective]
    group->average_gradients(*net);
  }
  GRAPHED(x: f32[2] inplace; step) void safe(torch::Tensor x) {
    group->average_gradients(*net);
    group->all_reduce_(x, graphed::ReduceOp::Max);
    group->broadcast_(x);
    group->broadcast(*net);
  }
  c10::intrusive_ptr<c10d::ProcessGroup> others;
  c10::intrusive_ptr<c10d::Backend> backend;
  graphed::ProcessGroup* group;
  torch::nn::Linear net;
};
