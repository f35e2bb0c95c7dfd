// SPDX-License-Identifier: Apache-2.0
//
// The results of a callable, or the gradients of its backward, as a capture shows how to make them for each call.
#pragma once

#include "capture/static_memory.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphed::impl {

/// How one result of a callable, or one gradient, is made from what was captured.
struct result_plan {
  enum class source {
    undefined,
    memory,  ///< computed into static memory
    input,   ///< the argument, or gradient, `index` itself
    input_view,
    outside,  ///< the closure's member `index` itself
    outside_view,
    same,  ///< the result `index` again
  };
  source from = source::undefined;
  std::size_t index = 0;
  at::Tensor captured;  ///< what the capture returned: shape, strides, dtype
  bool differentiable = false;
  bool is_of_other_mode = false;  ///< the callable has entered or left inference mode for it
  bool is_sole = true;            ///< no other result shows its memory
};

/// Results that are captured tensors, or `same` twice, or views of tensors that are not the graph's own.
class result_set {
 public:
  /// `inputs` and `outside` are recognised by identity, their views by storage. Throws CaptureError for a result that is not a strided
  /// tensor. What the graph computes is in the pool of this number.
  void plan(const std::vector<at::Tensor>& results, at::TensorList inputs, const std::vector<at::Tensor>& outside, uint64_t pool);

  const std::vector<result_plan>& plans() const { return plans_; }
  std::vector<at::Tensor> captured_memory() const;

  /// This call's results, of which the first `aliased` show the static memory itself. `inputs` and `outside` are the caller's.
  std::vector<at::Tensor> hand_out(at::TensorList inputs, const std::vector<at::Tensor>& outside, std::size_t aliased = 0);
  /// A result of the last hand_out() that its taker now holds alone, for as long as it likes: it is worth returning again.
  void retain(std::size_t result, const at::Tensor& tensor);
  /// Whether any of them is a tensor from outside, or a view of one.
  bool shows_outside() const { return shows_outside_; }
  bool alive() const;
  /// Whether a replay can wait for all that may still read them.
  bool can_be_overwritten(const overwrite& next) const { return !may_have_readers(next) || can_wait_for_readers(next); }
  /// Before a replay. What these tensors show stays: it is about to get another place.
  moved_storages keep(overwrite& next, at::TensorList but = {});
  moved_storages keep(pool_order& order) {
    overwrite next(order);
    return keep(next);
  }
  /// The memory that the tensor shows, if it was returned last, or null.
  const static_memory* shown_by(const at::Tensor& tensor) const;
  static_memory* shown_by(const at::Tensor& tensor) {
    return const_cast<static_memory*>(static_cast<const result_set*>(this)->shown_by(tensor));
  }

 private:
  /// Whether any of the memories may have_readers().
  bool may_have_readers(const overwrite& next) const {
    return next.order.has_streams() && (last_order_ != &next.order || last_taker_ != next.stream || stream_readers::are_any());
  }
  bool can_wait_for_readers(const overwrite& next) const;
  /// The result after `made`.
  at::Tensor over_memory(const result_plan& plan, const std::vector<at::Tensor>& made, std::size_t aliased);

  std::vector<result_plan> plans_;
  bool shows_outside_ = false;
  std::vector<static_memory> memories_;
  const pool_order* last_order_ = nullptr;  ///< of the last keep() with streams, as what follows
  std::optional<c10::Stream> last_taker_;
  std::vector<at::Tensor> captured_inputs_;
};

}  // namespace graphed::impl
