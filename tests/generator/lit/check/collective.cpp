// SPDX-License-Identifier: Apache-2.0
//
// Collectives under conditions that ranks may decide differently, and those of a backend.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <graphed/process_group.h>

#include <cstdlib>

const int rank_of_start = std::atoi(std::getenv("RANK"));

struct Step {
  explicit Step(graphed::ProcessGroup* ranks) : group(ranks), number(ranks->rank()) {}

  GRAPHED(x: f32[2] inplace; step) void by_rank(torch::Tensor x) {
    if (group->rank() == 0) {
      // CHECK: collective.cpp:[[#@LINE+2]]:14: warning: 'all_reduce_' is called under a condition on 'rank', which differs between ranks: those that call it wait for those that do not [graphed-collective]
      // CHECK: collective.cpp:[[#@LINE-2]]:5: note: the condition is here
      group->all_reduce_(x);
    }
    const bool is_first = group->rank() == 0 && group->size() > 1;
    if (!is_first) {
      // CHECK: :[[#@LINE+2]]:14: warning: 'average_gradients' is called under a condition on 'rank'
      // CHECK: note: the condition is here
      group->average_gradients({x});
    }
  }
  GRAPHED(x: f32[2] inplace) void by_rank_of_backend(torch::Tensor x) {
    if (nccl->getRank() != 0) {
      return;
    }
    // CHECK: :[[#@LINE+2]]:12: warning: 'broadcast_' is called under a condition on 'getRank', which differs
    // CHECK: :[[#@LINE-4]]:5: note: the condition is here
    group->broadcast_(x);
  }
  GRAPHED(x: f32[2] inplace) void by_member(torch::Tensor x) {
    if (number == 0) {
      // CHECK: :[[#@LINE+2]]:14: warning: 'all_reduce_' is called under a condition on 'rank', which differs
      // CHECK: note: the condition is here
      group->all_reduce_(x);
    }
  }
  void sum_up(torch::Tensor x) {
    // CHECK: :[[#@LINE+3]]:12: warning: 'all_reduce_' is called under a condition on 'rank', which differs
    // CHECK: :[[#@LINE+5]]:5: note: the condition is here
    // CHECK: note: called from 'Step::in_a_function' here
    group->all_reduce_(x);
  }
  GRAPHED(x: f32[2] inplace) void in_a_function(torch::Tensor x) {
    if (group->rank() < 2) {
      sum_up(x);
    }
  }
  GRAPHED(x: f32[2] inplace) void by_environment(torch::Tensor x) {
    if (rank_of_start == 0) {
      // CHECK: :[[#@LINE+2]]:14: warning: 'all_reduce_' is called under a condition on 'getenv', which may differ between ranks: those that call it wait for those that do not [graphed-collective]
      // CHECK: note: the condition is here
      group->all_reduce_(x);
    }
    // CHECK: :[[#@LINE+1]]:24: warning: the environment is read
    if (std::atoi(std::getenv("LOCAL_RANK")) == 0) {
      // CHECK: :[[#@LINE+2]]:14: warning: 'broadcast_' is called under a condition on 'getenv'
      // CHECK: note: the condition is here
      group->broadcast_(x);
    }
  }
  GRAPHED(x: f32[2] inplace) void by_what_a_rank_has(torch::Tensor x) {
    // CHECK: :[[#@LINE+2]]:11: error: a branch on a tensor's value
    // CHECK: note: the branch is here
    if (x.item<float>() > 0) {
      // CHECK: :[[#@LINE+2]]:14: warning: 'all_reduce_' is called under a condition on 'item', which may differ
      // CHECK: note: the condition is here
      group->all_reduce_(x);
    }
    // CHECK: :[[#@LINE+1]]:14: error: a random number
    if (std::rand() % 2 == 0) {
      // CHECK: :[[#@LINE+2]]:14: warning: 'all_reduce_' is called under a condition on 'rand', which may differ
      // CHECK: note: the condition is here
      group->all_reduce_(x);
    }
  }
  GRAPHED(x: f32[2] inplace) void of_a_backend(torch::Tensor x) {
    std::vector<torch::Tensor> all{x};
    // CHECK: :[[#@LINE+1]]:11: error: 'allreduce' is a collective and no operator: no recorder sees it; 'graphed::ProcessGroup' has those that a graph holds [graphed-collective]
    nccl->allreduce(all);
    // CHECK: :[[#@LINE+1]]:14: error: 'allreduce' is a collective and no operator
    backend->allreduce(all);
    // CHECK: :[[#@LINE+1]]:14: error: 'barrier' meets the other ranks on the host
    backend->barrier();
  }
  // What is the same on all ranks, as far as seen; both branches; what no collective depends on; a rank that throws.
  GRAPHED(x: f32[2] inplace, last: key) void safe(torch::Tensor x, bool last) {
    if (group != nullptr && group->size() > 1 && last && averages) {
      group->all_reduce_(x);
    }
    if (group->rank() == 0) {
      group->broadcast_(x);
    } else {
      group->broadcast_(x, 0);
    }
    if (group->rank() == 0) {
      x.mul_(2);
    }
    group->all_reduce_(x);
    if (group->rank() >= group->size()) {
      throw group->rank();
    }
    group->all_reduce_(x);
  }
  graphed::ProcessGroup* group;
  c10d::Backend* backend = nullptr;
  c10d::ProcessGroupNCCL* nccl = nullptr;
  const int number;
  bool averages = true;
};
