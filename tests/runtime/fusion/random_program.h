// SPDX-License-Identifier: Apache-2.0
//
// Programs over a small memory, as nasty as memory allows: storages at addresses that others had before, views, broadcasts, steps in place,
// steps that write a part of their range, steps of several nodes, temporaries, barriers, branches. They run step by step, or as a graph
// with fused groups; each element is a hash of what it was computed from, so that whatever differs shows.
#pragma once

#include "fusion/plan.h"
#include "fusion/rewire.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace fusion_test {

using namespace graphed::impl;
using namespace graphed::impl::fusion;

using bytes = std::vector<unsigned char>;

/// What a step without a formula does: its first node reads, its last one writes.
struct opaque_work {
  std::vector<uintptr_t> reads, writes;  ///< byte by byte
};

struct random_program {
  traced_program traced;
  formulas_of_steps formulas;     ///< of the steps that may be fused
  formulas_of_steps arithmetic;   ///< of those, and of steps that do the same but may not
  std::vector<opaque_work> work;  ///< of the others
  node_graph graph;
  std::vector<uintptr_t> seen;  ///< bytes that are compared at the end
};

enum class shape_of_graph { chain, branches };
random_program make_program(std::mt19937& random, shape_of_graph shape);

/// What can be seen of a run: the bytes, and what each opaque step has read.
struct outcome {
  bytes seen;
  std::vector<uint64_t> read;  ///< by step
  bool operator==(const outcome& other) const { return seen == other.seen && read == other.read; }
};
outcome run_in_order(const random_program& made);
/// In any order that the graph allows, and with threads in any order. Fails the test where the graph has a cycle.
outcome run_fused(const random_program& made, const std::vector<planned_kernel>& kernels, std::mt19937& random);

/// As the plan says it.
std::vector<node_group> groups_of_nodes(const random_program& made, const std::vector<planned_kernel>& kernels);

}  // namespace fusion_test
