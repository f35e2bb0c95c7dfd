// SPDX-License-Identifier: Apache-2.0
//
// A captured graph, and the executable ones that are made of it, with everything that they use.
#pragma once

#include "backend/captured_graph.h"
#include "backend/cuda/handles.h"
#include "backend/cuda/order.h"
#include "backend/cuda/pool.h"
#include "backend/cuda/random.h"
#include "backend/cuda/staging_nodes.h"
#include "backend/cuda/workspaces.h"

#include <c10/core/Storage.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

/// What a graph's kernels use beside the tensors of its pool. The graph and all executables made of it share it.
class graph_resources {
 public:
  graph_resources(order_domain& domain, c10::cuda::CUDAStream stream, std::unique_ptr<pool_share> memory, shared_workspaces workspaces,
                  std::optional<random_numbers> random, std::vector<c10::Storage> used);
  /// Replays in flight finish first; their memory is handed out to later graphs of the domain only, or freed by the driver behind them.
  ~graph_resources();
  graph_resources& operator=(graph_resources&&) = delete;

  order_domain& domain() const { return domain_; }
  /// Null where nothing is drawn. Used inside order_domain::use.
  random_numbers* random() { return random_ ? &*random_ : nullptr; }

 private:
  order_domain& domain_;
  const c10::cuda::CUDAStream stream_;  ///< that it was captured on
  std::unique_ptr<pool_share> memory_;
  shared_workspaces workspaces_;
  std::optional<random_numbers> random_;
  std::vector<c10::Storage> used_;  ///< from outside
};

/// Where a graph, one of the engine's, begins with copies into its memory and with what it draws from, and ends with copies out of it.
struct staging {
  staging(cudaStream_t stream, std::vector<at::Tensor> targets, const philox_memory& random);

  bool is_idle() const { return nodes.empty() && !tail; }
  template <class F>
  void each(F&& f) {
    f(nodes);
    if (tail) {
      f(*tail);
    }
  }

  std::size_t seed;  ///< its place; the offset's is the next one
  staging_nodes nodes;
  std::optional<staging_nodes> tail;
};

class graph_executable final : public executable {
 public:
  /// `staging`, where there is one, are nodes of `graph`.
  graph_executable(graph_identity identity, std::shared_ptr<const graph_handle> graph, graph_exec_handle exec,
                   std::shared_ptr<graph_resources> resources, std::unique_ptr<staging> staging);
  CUgraphExec_st* raw() const override { return exec_.get(); }
  uint64_t copy_in(std::size_t place, const at::Tensor& to, const at::Tensor& from) override;
  uint64_t fill_in(std::size_t place, const at::Tensor& to, const c10::Scalar& value) override;
  bool copy_out(std::size_t place, const at::Tensor& to) override;

 private:
  void run() override;
  void prepare_launch();

  std::shared_ptr<graph_resources> resources_;
  std::shared_ptr<const graph_handle> graph_;
  std::unique_ptr<staging> staging_;
  graph_exec_handle exec_;  // dies first
};

/// A graph as CUDA captured it, before and beside the executable ones that are made of it.
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

}  // namespace graphed::impl
