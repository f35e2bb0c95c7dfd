// SPDX-License-Identifier: Apache-2.0
//
// A captured graph that can run, with everything that it uses.
#pragma once

#include "../captured_graph.h"
#include "handles.h"
#include "order.h"
#include "pool.h"
#include "random.h"
#include "workspaces.h"

#include <c10/core/Storage.h>

#include <memory>
#include <optional>
#include <vector>

namespace graphed {

/// What a graph's kernels use beside the tensors of its pool. The graph and all executables made of it share it.
class graph_resources {
 public:
  graph_resources(order_domain& domain, c10::cuda::CUDAStream stream, std::unique_ptr<pool_share> memory, shared_workspaces workspaces,
                  std::optional<random_numbers> random, std::vector<c10::Storage> used);
  /// Replays in flight finish first; their memory is handed out to later graphs of the domain only, or freed by the driver behind them.
  ~graph_resources();
  graph_resources(const graph_resources&) = delete;
  graph_resources& operator=(const graph_resources&) = delete;

  order_domain& domain() const { return domain_; }
  /// Before a launch, on its stream, inside order_domain::use.
  void advance_random_numbers();

 private:
  order_domain& domain_;
  const c10::cuda::CUDAStream stream_;  ///< that it was captured on
  std::unique_ptr<pool_share> memory_;
  shared_workspaces workspaces_;
  std::optional<random_numbers> random_;
  std::vector<c10::Storage> used_;  ///< from outside
};

class graph_executable final : public executable {
 public:
  graph_executable(graph_identity identity, graph_exec_handle exec, std::shared_ptr<graph_resources> resources);
  CUgraphExec_st* raw() const override { return exec_.get(); }

 private:
  void run() override;

  std::shared_ptr<graph_resources> resources_;
  graph_exec_handle exec_;  // dies first
};

}  // namespace graphed
