// SPDX-License-Identifier: Apache-2.0
//
// The operators of a capture as a graph, for the report: which uses the values of which, and what each writes.
#pragma once

#include "report/run/collecting.h"
#include "watch/kernel_watch.h"
#include "watch/observer.h"

#include <c10/core/Device.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/Stream.h>

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace graphed::impl {

class recording;

/// A recorder that comes after the one which puts operators on branches. Views, and memory without values, are not nodes.
class graph_watch final : public observer {
 public:
  /// `kernels` may be null. Keeps `shown_by`, which shows the operators, by reference.
  graph_watch(const recording& shown_by, c10::Device device, std::unique_ptr<kernel_watch> kernels)
      : shown_by_(shown_by), device_(device), kernels_(std::move(kernels)) {}

  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;

  /// Once, at the end.
  std::vector<graph_node> take() { return std::move(nodes_); }
  std::shared_ptr<const operator_clock> clock() const { return kernels_ ? kernels_->clock() : nullptr; }
  /// Memory that the operators made and that something holds besides replays, which hold each so often.
  std::vector<std::pair<const void*, uint64_t>> kept(const std::unordered_map<const c10::StorageImpl*, std::size_t>& held) const;

 private:
  std::size_t current_branch();
  void note_read(graph_node& node, const c10::StorageImpl* memory) const;
  void note_written(graph_node& node, const at::Tensor& tensor);
  void note_made(const at::Tensor& tensor);

  const recording& shown_by_;
  const c10::Device device_;
  const std::unique_ptr<kernel_watch> kernels_;
  std::size_t branch_ = 0;
  std::unordered_map<const c10::StorageImpl*, c10::weak_intrusive_ptr<c10::StorageImpl>> made_;
  std::vector<c10::Stream> branches_;
  std::vector<graph_node> nodes_;
  std::unordered_map<const c10::StorageImpl*, std::size_t> writers_;  ///< the last of each memory
  std::unordered_set<const c10::StorageImpl*> unwritten_;             ///< allocated since the capture began
};

}  // namespace graphed::impl
