// SPDX-License-Identifier: Apache-2.0
//
// A capture, the graph that it becomes, and the executable ones that are made of that, with everything that they use.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/cleanup.h"
#include "backend/cuda/order.h"
#include "backend/cuda/pool.h"
#include "backend/cuda/random.h"
#include "backend/cuda/staging_nodes.h"
#include "backend/cuda/workspaces.h"
#include "watch/host_part.h"

#include <c10/core/Storage.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

/// What a graph's kernels use beside the tensors of its pool. The graph and all executables made of it share it.
struct graph_resources {
  /// Replays in flight finish first; their memory is given to later graphs of the domain only, or freed by the driver behind them.
  ~graph_resources();
  graph_resources& operator=(graph_resources&&) = delete;

  order_domain& domain;
  const c10::cuda::CUDAStream stream;              ///< that it was captured on
  const std::vector<c10::cuda::CUDAStream> sides;  ///< LibTorch's, on which the callable itself ran operators
  std::unique_ptr<pool_share> memory;
  shared_workspaces workspaces;
  std::optional<random_numbers> random;  ///< none where nothing is drawn; used inside order_domain::use
  std::vector<c10::Storage> used;        ///< from outside
};

/// Where a graph, one of the engine's, begins with copies into its memory and with what it draws from, and ends with copies out of it.
struct staging {
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

struct graph_parts {
  std::shared_ptr<graph_resources> resources;
  std::vector<std::shared_ptr<const graph_handle>> pieces;  ///< in the order of their launches
  std::vector<between_pieces> between;                      ///< after each piece but the last
  std::unique_ptr<staging> staged;                          ///< nodes of the first piece, and of the last; or null
  fused_counts fused = {};
};

class graph_executable final : public executable {
 public:
  graph_executable(graph_identity identity, graph_parts parts, std::vector<graph_exec_handle> pieces)
      : executable(identity), parts_(std::move(parts)), pieces_(std::move(pieces)) {}
  CUgraphExec_st* raw() const override;
  uint64_t copy_in(std::size_t place, const at::Tensor& to, const at::Tensor& from) override;
  uint64_t fill_in(std::size_t place, const at::Tensor& to, const c10::Scalar& value) override;
  uint64_t copy_in_from_host(std::size_t place, const at::Tensor& to, const at::Tensor& from) override;
  void write_ahead(std::function<void()> write) override { ahead_.push_back(std::move(write)); }
  bool copy_out(std::size_t place, const at::Tensor& to) override;
  void order_side_streams() override;
  fused_counts fused() const override { return parts_.fused; }
  std::size_t host_parts() const override { return parts_.between.size(); }
  uint64_t workspace_bytes() const override { return parts_.resources->workspaces.total(); }

 private:
  void run() override;
  void upload(cudaStream_t stream);
  void run_host_part(const between_pieces& what);
  void run_ahead();
  void prepare_launch();

  graph_parts parts_;
  std::vector<std::function<void()>> ahead_;  ///< of the next launch
  bool is_uploaded_ = false;
  std::vector<graph_exec_handle> pieces_;  // die first
};

/// A graph as CUDA captured it, before and beside the executable ones that are made of it.
class cuda_graph final : public captured_graph {
 public:
  /// One that has staging nodes is instantiated once.
  cuda_graph(graph_identity identity, graph_parts parts) : captured_graph(identity), parts_(std::move(parts)) {}

  std::map<std::string, std::size_t> node_counts() const override;
  void write_dot(const std::string& path) const override;
  CUgraph_st* raw() const override;

 private:
  std::unique_ptr<executable> make_executable() override;
  std::shared_ptr<const graph_handle> without_memory_nodes(const std::shared_ptr<const graph_handle>& piece) const;

  graph_parts parts_;
};

/// A capture on the request's stream, or on the domain's. Throws CaptureError inside a capture, error for the default stream.
std::unique_ptr<open_capture> begin_capture(order_domain& domain, const capture_request& request);

}  // namespace graphed::impl
