// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/fused_nodes.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/memory_nodes.h"
#include "fusion/kernel_source.h"
#include "fusion/plan.h"
#include "fusion/program.h"
#include "fusion/proof.h"
#include "fusion/rewire.h"
#include "report/environment.h"
#include "watch/recorder.h"

#include <c10/cuda/CUDAException.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

namespace graphed::impl {
namespace {

using planned = std::vector<fusion::planned_kernel>;

/// The edges of a graph whose nodes have numbers. None where one has no number.
struct numbered_edges {
  fusion::graph_edges edges;
  std::vector<bool> is_special;  ///< by node: an edge of it says more than that one comes after the other
};

std::optional<numbered_edges> edges_of(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& nodes) {
  std::unordered_map<cudaGraphNode_t, std::size_t> numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    numbers.emplace(nodes[i], i);
  }
  const auto all = nodes_of(graph);
  if (!std::all_of(all.begin(), all.end(), [&](cudaGraphNode_t node) { return numbers.count(node) != 0; })) {
    return std::nullopt;
  }
  numbered_edges found{{}, std::vector<bool>(nodes.size())};
  for (const captured_edge& each : captured_edges(graph)) {
    found.edges.emplace_back(numbers.at(each.from), numbers.at(each.to));
    if (!each.is_plain) {
      found.is_special[found.edges.back().first] = found.is_special[found.edges.back().second] = true;
    }
  }
  return found;
}

bool relies_on(const fusion::claim& claim, const std::optional<fusion::formula_use>& step) { return step && step->of == claim.of; }

/// Those that are not known to hold, after those were examined that had not been.
std::vector<fusion::claim> unproven(const fusion::planned_kernel& kernel) {
  std::vector<fusion::claim> open, failed;
  for (const auto& part : kernel.groups) {
    for (auto& each : fusion::claims_of(part.group)) {
      const auto known = fusion::is_proven(each);
      if (!known) {
        open.push_back(each);
      } else if (!*known) {
        failed.push_back(each);
      }
    }
  }
  fusion::prove(open);
  std::copy_if(open.begin(), open.end(), std::back_inserter(failed),
               [](const fusion::claim& each) { return !fusion::is_proven(each).value_or(false); });
  return failed;
}

/// Of formulas that are proven alone: without the others' steps it is planned again.
planned plan(traced_capture& traced) {
  while (true) {
    planned kernels = fusion::plan_kernels(traced.program, traced.formulas);
    bool is_proven = true;
    for (const auto& kernel : kernels) {
      for (const auto& claim : unproven(kernel)) {
        is_proven = false;
        for (auto& step : traced.formulas) {
          if (relies_on(claim, step)) {
            step.reset();
          }
        }
      }
    }
    if (is_proven) {
      return kernels;
    }
  }
}

std::vector<fusion::kernel> launches_of(const planned& kernels) {
  std::vector<fusion::kernel> launches;
  for (const auto& each : kernels) {
    fusion::kernel launch{"fused_" + std::to_string(launches.size()), {}};
    for (const auto& part : each.groups) {
      launch.groups.push_back(part.group);
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

std::vector<fusion::node_group> nodes_of_kernels(const planned& kernels, const traced_program& program,
                                                 const std::vector<std::size_t>& place) {
  std::vector<fusion::node_group> groups;
  for (const auto& kernel : kernels) {
    fusion::node_group group{{}, place.size()};
    for (const std::size_t step : kernel.steps) {
      group.nodes.insert(group.nodes.end(), program.steps[step].nodes.begin(), program.steps[step].nodes.end());
    }
    const auto first = std::find_if(program.steps.begin() + static_cast<std::ptrdiff_t>(kernel.before), program.steps.end(),
                                    [](const traced_step& each) { return !each.nodes.empty(); });
    if (first != program.steps.end()) {
      group.before = place[first->nodes.front()];
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

cudaGraphNode_t add_kernel(cudaGraph_t graph, CUfunction function, unsigned blocks, const fusion::planned_kernel& kernel) {
  std::vector<uintptr_t> addresses;
  for (const auto& part : kernel.groups) {
    addresses.insert(addresses.end(), part.addresses.begin(), part.addresses.end());
  }
  std::vector<void*> parameters;
  std::transform(addresses.begin(), addresses.end(), std::back_inserter(parameters), [](uintptr_t& each) { return &each; });
  CUDA_KERNEL_NODE_PARAMS_v2 params{};
  params.func = function;
  params.gridDimX = blocks;
  params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = fusion::threads_of_block;
  params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = parameters.data();
  CUgraphNode made = nullptr;
  C10_CUDA_CHECK(as_runtime_error(driver::get().add_kernel(&made, graph, nullptr, 0, &params)));
  return made;
}

}  // namespace

fused_nodes fuse_nodes(cudaGraph_t graph, traced_capture traced) {
  const relaxed_capture_mode relaxed;
  fused_nodes made;
  const auto known = edges_of(graph, traced.nodes);
  if (!known) {
    return made;
  }
  for (std::size_t step = 0; step < traced.program.steps.size(); ++step) {
    const auto& nodes = traced.program.steps[step].nodes;
    if (std::any_of(nodes.begin(), nodes.end(), [&](std::size_t node) { return known->is_special[node]; })) {
      traced.formulas[step].reset();
    }
  }
  const planned kernels = plan(traced);
  if (kernels.empty()) {
    return made;
  }
  const auto launches = launches_of(kernels);
  const auto program = fusion::program::shared(launches, made.why_not);
  if (!program) {
    return made;
  }
  fusion::node_graph before{known->edges, std::vector<std::size_t>(traced.nodes.size())};
  std::size_t next = 0;
  for (const auto& step : traced.program.steps) {
    for (const std::size_t node : step.nodes) {
      before.place[node] = next++;
    }
  }
  const auto groups = nodes_of_kernels(kernels, traced.program, before.place);
  const auto edges = fusion::edges_with_groups(before, groups);
  std::vector<cudaGraphNode_t> nodes = traced.nodes;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    nodes.push_back(add_kernel(graph, program->function(i), fusion::blocks_of(launches[i]), kernels[i]));
  }
  for (const auto& [from, to] : edges) {
    add_edge(graph, nodes[from], nodes[to]);
  }
  for (const auto& group : groups) {
    for (const std::size_t node : group.nodes) {
      C10_CUDA_CHECK(cudaGraphDestroyNode(nodes[node]));
    }
    made.counts.operators += group.nodes.size();
  }
  made.counts.kernels = kernels.size();
  return made;
}

capture_fusion::capture_fusion(const capture_request& request) {
  if (environment::get().fuse && !request.standalone && are_operators_met()) {
    trace_ = std::make_shared<program_trace>(request.seen->outside());
    request.seen->add_recorder(trace_);
  }
}

void capture_fusion::begin(c10::cuda::CUDAStream stream) {
  if (trace_) {
    trace_->begin(stream);
  }
}

void capture_fusion::set_paused(bool paused) {
  if (trace_) {
    trace_->set_paused(paused);
  }
}

graph_handle capture_fusion::end(stream_capture& work) {
  auto traced = trace_ ? trace_->end() : std::nullopt;
  graph_handle graph(work.end());
  if (traced) {
    const fused_counts made = fuse_nodes(graph.get(), std::move(*traced)).counts;
    counts_.operators += made.operators;
    counts_.kernels += made.kernels;
  }
  return graph;
}

}  // namespace graphed::impl
