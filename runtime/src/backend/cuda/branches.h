// SPDX-License-Identifier: Apache-2.0
//
// Operators that do not depend on one another are captured on branches of the graph, so that the device runs them side by side.
#pragma once

#include "backend/cuda/order.h"
#include "backend/cuda/workspaces.h"
#include "watch/operator_order.h"
#include "watch/outside_watch.h"

#include <c10/cuda/CUDAStream.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace graphed::impl {

/// Between begin() and join(), puts each operator of a recording on a branch: a stream of its own that waits for the operators whose memory
/// it uses. It is current while the operator runs. Outside of operators the captured stream is current. What is queued there by others than
/// operators cannot be put in order: then join() throws.
class operator_branches final : public observer {
 public:
  /// Keeps a reference to what the recording knows of memory.
  operator_branches(const outside_watch& memory, std::size_t branches);

  /// The capture of `stream`, or of another piece of the graph, has begun, in relaxed mode, with what comes before all operators.
  void begin(order_domain& domain, c10::cuda::CUDAStream stream);
  /// Between begin() and join().
  bool is_open() const { return captured_.has_value(); }
  /// The captured stream waits for all branches. Throws unordered_work.
  void join();
  /// After the last join(): the cuBLAS workspaces that the branches use.
  shared_workspaces workspaces();

  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;

 private:
  struct captured_stream {
    order_domain& domain;
    c10::cuda::CUDAStream stream;
    bool multiplies;                        ///< whether there are workspaces for cuBLAS
    std::vector<cudaGraphNode_t> begin;     ///< what comes before all operators
    std::vector<cudaGraphNode_t> expected;  ///< where it stands if operators alone used it
  };
  struct branch {
    c10::cuda::CUDAStream stream;
    std::unique_ptr<workspace_watch> workspaces;
    bool is_joined = true;  ///< until an operator of this piece comes
  };
  struct written {
    at::Tensor tensor;
    const void* data;
    std::size_t bytes;
  };
  c10::cuda::CUDAStream stream_of(std::size_t branch);
  branch& make(std::size_t index);
  branch& open(std::size_t index);
  void place(const operator_call& call);
  void note_made(c10::ArrayRef<c10::IValue> arguments, c10::ArrayRef<c10::IValue> results);
  void keep_for(const c10::cuda::CUDAStream& stream, c10::ArrayRef<c10::IValue> arguments);
  bool is_in_order();

  const outside_watch& memory_;
  std::mutex mutex_;
  std::optional<captured_stream> captured_;  ///< between begin() and join()
  operator_order order_;
  std::vector<std::optional<branch>> branches_;     ///< the last one is that of collectives
  std::vector<std::vector<cudaGraphNode_t>> ends_;  ///< by operator
  std::vector<written> written_;                    ///< by the operator between before() and after()
  std::optional<std::size_t> running_;              ///< the branch of the operator between before() and after()
  bool is_ordered_ = true;
};

}  // namespace graphed::impl
