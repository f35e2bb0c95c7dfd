// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results in the memory of the host, of a capture on another device: through a ring of pinned memory, of which each call
// takes the next entry. On a tape there is nothing to do.
#pragma once

#include "backend/backend.h"
#include "slot/call_details.h"
#include "slot/capture_site.h"

#include <graphed/results.h>

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace graphed::impl {

/// One result in an entry of the ring.
struct delivered_result {
  std::vector<int64_t> sizes, strides;  ///< dense
  c10::ScalarType dtype = at::kFloat;
  std::size_t at = 0;  ///< in bytes, from the entry's beginning; in words, the first one
  std::size_t bytes = 0;
  bool is_defined = false;
};

/// Those of a call.
struct delivered_layout {
  std::vector<delivered_result> results;
  host_results_form form;
};

/// The results of one call, in its entry of the ring or on their way there. They are copied out of it when they are asked for, or when a
/// later call needs the entry.
/// Thread safety: all members.
class delivered_results {
 public:
  delivered_results(std::shared_ptr<host_ring> ring, std::size_t entry, std::shared_ptr<const delivered_layout> layout,
                    std::shared_ptr<const call_details> details)
      : ring_(std::move(ring)), entry_(entry), layout_(std::move(layout)), details_(std::move(details)) {}

  bool are_there();
  /// Waits, and copies.
  void settle();
  /// After settle().
  const tensor_list& tensors() const { return tensors_; }

 private:
  tensor_list make_tensors() const;
  void copy_to(const at::Tensor& copy, const delivered_result& each) const;

  std::mutex mutex_;
  std::shared_ptr<host_ring> ring_;  ///< null: settled
  const std::size_t entry_;
  const std::shared_ptr<const delivered_layout> layout_;
  const std::shared_ptr<const call_details> details_;
  tensor_list tensors_;
};

class host_transfer {
 public:
  explicit host_transfer(capture_site& site);

  /// Whether arguments of calls are in the memory of the host, and the callable computes elsewhere.
  bool takes() const { return takes_; }
  /// The same of results.
  bool delivers() const { return delivers_; }

  // For a capture, in this order.

  /// What else is staged, after these.
  std::vector<at::Tensor> add_to(std::vector<at::Tensor> staged);
  /// As open_capture::begin_with has them.
  uint64_t bytes_of_arguments(const std::vector<at::Tensor>& static_inputs) const;
  /// Within the recording: of the first results, which are delivered, those that are not dense become so.
  void make_dense(tensor_list& results, std::size_t count) const;
  delivery plan(const tensor_list& results, std::size_t count);
  /// After it.
  void make_ring(const std::vector<at::Tensor>& static_inputs);

  // For a call that has the slot to itself.

  /// Takes an entry, and waits where an earlier call has it. What that call's results are is kept for the one that asks for them.
  void begin_call();
  /// In the entry: what an argument is copied into. It has the layout of the static input.
  const at::Tensor& input(std::size_t index) const { return inputs_[entry_][index]; }
  void stage(executable& work) const;
  void end_call() noexcept;
  /// Null where they are not delivered.
  std::shared_ptr<delivered_results> results(const std::shared_ptr<const call_details>& details);
  /// How many.
  std::size_t delivered() const { return layout_ ? layout_->results.size() : 0; }

 private:
  capture_site& site_;
  const bool takes_, delivers_;
  std::size_t first_place_ = 0;               ///< of what is staged
  at::Tensor address_, finished_, number_;    ///< as delivery has them
  std::size_t bytes_ = host_ring::alignment;  ///< of an entry
  std::shared_ptr<const delivered_layout> layout_;
  std::shared_ptr<host_ring> ring_;  ///< null: nothing is in the memory of the host, or no capture is made
  std::array<std::vector<at::Tensor>, host_ring::entries> inputs_;
  std::array<std::weak_ptr<delivered_results>, host_ring::entries> coming_;
  std::size_t entry_ = 0;
  uint32_t calls_ = 0;  ///< never 0 of one under way
};

}  // namespace graphed::impl
