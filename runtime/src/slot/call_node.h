// SPDX-License-Identifier: Apache-2.0
//
// The autograd node of one graphed call, and what it remembers of the call.
#pragma once

#include "slot/slot.h"

#include <torch/csrc/autograd/function.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphed::impl {

class call_node final : public torch::autograd::Node {
 public:
  /// `make` constructs the function in its place.
  call_node(AutogradFunction* (*make)(void* place), SlotLease&& lease, std::shared_ptr<const call_details> details);
  ~call_node() override { release(); }
  void release_variables() override;
  /// "app::policy backward"
  std::string name() const override { return served_by_->site().backward_name; }

  /// What check_versions() is to find unchanged.
  std::vector<saved_tensor>& saved() { return saved_; }
  /// The call has its results.
  void end_forward() { lease_.end_forward(); }

  /// As those of function.
  std::optional<BackwardGraph> backward(const tensor_list& gradients);
  tensor_list original_backward(const tensor_list& gradients);
  const call_details& details() const { return *details_; }
  /// Whether the backward under way leaves, or an earlier one has left, a part of the captured graph for another.
  bool goes_back_in_parts() const { return !gone_back_.empty() || going_back_ != callable().parts; }
  /// Lets the backward not come to what is beyond these edges, where a user could see it. `gradients`: one for each edge. Where a later
  /// backward may come to them, they are restored once what is returned is let go of: end_passing() has the engine do that.
  [[nodiscard]] at::Tensor pass_by(const std::vector<std::size_t>& unreached, tensor_list& gradients);
  /// The last that is done to the gradients before the engine gets them.
  void end_passing(at::Tensor&& restores_edges, tensor_list& gradients) const;
  /// Gradients that were asked for with create_graph get a history that says why it cannot be followed.
  void forbid_double_backward(tensor_list& gradients) const;
  /// At the end of the node's part of a backward.
  void note_gone_back();

 private:
  tensor_list apply(tensor_list&& gradients) override;
  const captured_callable& callable() const { return served_by_->callable(); }
  /// By eager autograd, and with what that says of a capture that has failed.
  tensor_list run_eagerly(const tensor_list& gradients);
  /// Throws eager's error where it has been gone back through already.
  void check_gone_back() const;
  /// The leaves whose `.grad` this backward may change within its graph; null where it may change none.
  std::shared_ptr<leaf_gradients> claim_leaves();
  /// The slot may serve another call.
  void release();

  alignas(AutogradFunction) std::byte place_[sizeof(AutogradFunction)];
  AutogradFunction* const code_;
  const std::shared_ptr<slot> served_by_;
  SlotLease lease_;
  const std::shared_ptr<const call_details> details_;
  std::vector<saved_tensor> saved_;
  std::atomic<bool> released_{false};
  // Under the slot's lock, but for is_gone_back_.
  part_set gone_back_;                ///< by backwards that did not keep the graph
  std::atomic<bool> is_gone_back_;    ///< whether those are all parts of the captured graph
  part_set going_back_;               ///< those of the backward under way
  std::string learned_;               ///< its pattern, of which eager autograd shows what host parts return
  std::optional<failed_try> failed_;  ///< the capture that it has tried
  torch::autograd::edge_list aside_;  ///< its edges, until the engine has passed some of them by
};

}  // namespace graphed::impl
