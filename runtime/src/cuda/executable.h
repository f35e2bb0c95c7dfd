// SPDX-License-Identifier: Apache-2.0
//
// A captured graph that can run, with everything that it uses.
#pragma once

#include "../backend.h"
#include "handles.h"
#include "order.h"
#include "pool.h"
#include "random.h"
#include "workspaces.h"

#include <memory>
#include <optional>

namespace graphed {

/// What a graph's kernels use beside the tensors of its pool.
struct graph_resources {
  std::unique_ptr<pool_share> memory;
  shared_workspaces workspaces;
  std::optional<random_numbers> random;
};

class graph_executable final : public executable {
 public:
  graph_executable(order_domain& domain, graph_exec_handle exec, graph_resources resources);
  /// Replays in flight finish first; their memory is handed out to later graphs of the domain only, or freed by the driver behind them.
  ~graph_executable() override;
  void replay() override;

 private:
  order_domain& domain_;
  graph_resources resources_;
  graph_exec_handle exec_;
};

}  // namespace graphed
