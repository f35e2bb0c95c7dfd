// SPDX-License-Identifier: Apache-2.0
#include "torch/graph_task.h"

#include "torch/accumulators.h"

#include <torch/csrc/autograd/graph_task.h>

#include <cstddef>
#include <mutex>

namespace graphed::impl {

using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::GraphTask;

namespace {

// LibTorch shows some of its members, not the task.
GraphTask& current_task() {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  constexpr std::size_t offset = offsetof(GraphTask, nodes_in_graph_);
#pragma GCC diagnostic pop
  const auto* const shown = reinterpret_cast<const std::byte*>(torch::autograd::get_current_graph_task_nodes_in_graph());
  return *reinterpret_cast<GraphTask*>(const_cast<std::byte*>(shown - offset));
}

}  // namespace

std::optional<c10::Stream> stream_of_backward(c10::Device device) {
  const auto& streams = current_task().caller_current_streams_;
  const auto index = static_cast<std::size_t>(device.index());
  return index < streams.size() ? streams[index] : std::nullopt;
}

bool is_accumulated(const Edge& edge) {
  const auto* const chosen = torch::autograd::get_current_graph_task_exec_info();
  if (accumulator_at(edge) == nullptr || chosen == nullptr || chosen->empty()) {
    return accumulator_at(edge) != nullptr;
  }
  const auto found = chosen->find(edge.function.get());
  return found != chosen->end() && found->second.needed_;
}

edge_list pass_by(edge_list edges) {
  GraphTask& task = current_task();
  const std::lock_guard lock(task.mutex_);
  edge_list due;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge edge = edges[i];
    const auto awaited = task.dependencies_.find(edge.function.get());
    if (!edge.is_valid() || awaited == task.dependencies_.end()) {
      continue;
    }
    if (awaited->second > 1) {
      --awaited->second;
    } else if (task.not_ready_.count(edge.function.get()) != 0) {
      due.push_back(edge);
    } else {
      task.dependencies_.erase(awaited);
      const auto& further = edge.function->next_edges();
      edges.insert(edges.end(), further.begin(), further.end());
    }
  }
  return due;  // what is in `edges` may die with them, without the lock
}

}  // namespace graphed::impl
