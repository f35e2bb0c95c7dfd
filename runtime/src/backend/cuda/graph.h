// SPDX-License-Identifier: Apache-2.0
//
// A graph as CUDA captured it, before and beside the executable ones that are made of it.
#pragma once

#include "backend/captured_graph.h"
#include "backend/cuda/executable.h"
#include "backend/cuda/handles.h"

#include <map>
#include <memory>
#include <string>

namespace graphed {

class cuda_graph final : public captured_graph {
 public:
  /// One that has staging nodes is instantiated once.
  cuda_graph(graph_identity identity, graph_handle graph, std::shared_ptr<graph_resources> resources, std::unique_ptr<staging> staging);

  std::unique_ptr<executable> instantiate() override;
  std::map<std::string, std::size_t> node_counts() const override;
  void write_dot(const std::string& path) const override;
  CUgraph_st* raw() const override { return graph_->get(); }

 private:
  std::shared_ptr<const graph_handle> without_memory_nodes();

  std::shared_ptr<graph_resources> resources_;
  std::shared_ptr<const graph_handle> graph_;
  std::unique_ptr<staging> staging_;
};

}  // namespace graphed
