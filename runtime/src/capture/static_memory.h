// SPDX-License-Identifier: Apache-2.0
//
// Tensors over the memory that a graph writes. Each call's results get storages of their own over the static memory; a storage that is
// still alive when a replay is about to overwrite its memory is moved. Its bytes go to fresh memory and the storage points there, views
// with it.
#pragma once

#include "backend/pool_order.h"

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace graphed::impl {

/// Another tensor over the same memory, without history, with a version counter of its own.
at::Tensor alias_of(const at::Tensor& tensor);

/// The memory below storages that are returned, which they keep alive.
struct handed_memory : c10::intrusive_ptr_target {
  handed_memory(at::Tensor owner, uint64_t pool) : owner(std::move(owner)), pool(pool) {}

  at::Tensor owner;
  uint64_t pool;  ///< its number
};

/// Null where a tensor does not show memory that was returned, or no longer.
const handed_memory* memory_shown_by(const at::Tensor& tensor);

/// What was moved out of a graph's way.
struct moved_storages {
  std::size_t count = 0;
  uint64_t bytes = 0;

  moved_storages& operator+=(const moved_storages& more) {
    count += more.count;
    bytes += more.bytes;
    return *this;
  }
};

class static_memory {
 public:
  /// `owner` is memory of the pool of this number.
  static_memory(const at::Tensor& owner, uint64_t pool)
      : memory_(c10::make_intrusive<handed_memory>(owner, pool)), handed_(c10::intrusive_ptr<c10::StorageImpl>()) {}

  const c10::StorageImpl* storage() const { return memory_->owner.storage().unsafeGetStorageImpl(); }

  /// A storage over the memory, which it keeps alive. One at a time: keep() comes first.
  c10::Storage hand_out();
  /// The same for a storage that there is: it shows the memory from now on, which has its bytes or gets them at once.
  void give_place(c10::StorageImpl& storage);
  /// Whether the tensor shows what was returned last.
  bool is_shown_by(const at::Tensor& tensor) const;
  /// What was returned last is about to get another place.
  void let_go();
  /// A tensor over what hand_out() made, if it shows the memory still, is to be returned again once nothing else holds it or a view of it.
  void retain(const at::Tensor& tensor);
  /// Then: that tensor as alias_of(captured) would be, over the same storage. Else undefined.
  at::Tensor hand_out_again(const at::Tensor& captured);
  /// Whether something holds the storage that was returned last, and it shows the memory still.
  bool alive() const;
  /// Moves the storage that was returned last, if it is alive.
  moved_storages keep(pool_order& order);

 private:
  bool is_retained_alone() const;
  c10::intrusive_ptr<c10::StorageImpl> shown() const;
  c10::DataPtr pointer() const;

  c10::intrusive_ptr<handed_memory> memory_;
  c10::weak_intrusive_ptr<c10::StorageImpl> handed_;
  at::Tensor retained_;  ///< undefined, or over what was returned last
};

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
  bool is_sole = true;  ///< no other result shows its memory
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
  /// Before a replay. What these tensors show stays: it is about to get another place.
  moved_storages keep(pool_order& order, at::TensorList but = {});
  /// Whether the tensor shows memory that was returned last.
  bool are_shown_by(const at::Tensor& tensor) const;
  /// Where one does.
  void let_go(const at::Tensor& tensor);

 private:
  /// The result after `made`.
  at::Tensor over_memory(const result_plan& plan, const std::vector<at::Tensor>& made, std::size_t aliased);

  std::vector<result_plan> plans_;
  bool shows_outside_ = false;
  std::vector<static_memory> memories_;
  std::vector<at::Tensor> captured_inputs_;
};

}  // namespace graphed::impl
