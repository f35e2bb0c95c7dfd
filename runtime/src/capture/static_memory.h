// SPDX-License-Identifier: Apache-2.0
//
// Tensors over the memory that a graph writes. Each call's results get storages of their own over the static memory; a storage that is
// still alive when a replay is about to overwrite its memory is moved. Its bytes go to fresh memory and the storage points there, views
// with it.
#pragma once

#include "backend/pool_order.h"
#include "capture/stream_readers.h"

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/Stream.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace graphed::impl {

/// Another tensor over the same memory, without history, with a version counter of its own.
at::Tensor alias_of(const at::Tensor& tensor);

/// The memory below storages that are returned, which they keep alive.
struct handed_memory : c10::intrusive_ptr_target {
  handed_memory(at::Tensor owner, uint64_t pool) : owner(std::move(owner)), pool(pool) {}
  /// The pool gives it to no later capture before its readers have ended.
  ~handed_memory() override;

  at::Tensor owner;
  uint64_t pool;  ///< its number
  mutable stream_readers readers;
};

/// `stream` reads what the tensor shows, as Tensor::record_stream says: no later replay overwrites it before that. Nothing where the tensor
/// does not show memory that was returned. Thread safety: that of reading the tensor.
void note_reader(const at::Tensor& tensor, const c10::Stream& stream);

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

/// A replay that is about to overwrite static memory, on the current stream.
struct overwrite {
  explicit overwrite(pool_order& order) : order(order), stream(order.lasting_stream()) {}

  pool_order& order;
  const std::optional<c10::Stream> stream;
  std::vector<c10::Stream> waited_for{};
};

class static_memory {
 public:
  /// `owner` is memory of the pool of this number.
  static_memory(const at::Tensor& owner, uint64_t pool);

  const c10::StorageImpl* storage() const { return memory_->owner.storage().unsafeGetStorageImpl(); }

  /// A storage over the memory, which it keeps alive. One at a time: keep() comes first.
  c10::Storage hand_out();
  /// The same for a storage that there is: it shows the memory from now on, which has its bytes or gets them at once.
  void give_place(c10::StorageImpl& storage);
  /// What shows this memory, if anything does still, shows the other one from now on.
  void move_to(static_memory& other);
  /// Whether streams may read it that the one of this replay does not wait for by itself.
  bool has_readers(const overwrite& next) const { return !memory_->readers.is_empty() || is_taken_elsewhere(next); }
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
  /// Whether it can wait for them: they may be part of a capture just now.
  bool can_be_overwritten(const overwrite& next) const;
  /// Makes the replay wait for those streams, which it returns.
  std::vector<c10::Stream> wait_for_readers(overwrite& next);
  /// After that, moves the storage that was returned last, if it is alive, and lets those streams read it on.
  moved_storages keep(overwrite& next);
  moved_storages keep(pool_order& order) {
    overwrite next(order);
    return keep(next);
  }

 private:
  bool is_taken_elsewhere(const overwrite& next) const { return taker_ && taker_ != next.stream; }
  bool is_retained_alone() const;
  c10::intrusive_ptr<c10::StorageImpl> shown() const;
  c10::DataPtr pointer() const;

  c10::intrusive_ptr<handed_memory> memory_;
  c10::weak_intrusive_ptr<c10::StorageImpl> handed_;
  at::Tensor retained_;               ///< undefined, or over what was returned last
  std::optional<c10::Stream> taker_;  ///< of the last replay that wrote it, where results may still be read; none if it may be gone
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
  /// Whether a replay can wait for all that may still read them.
  bool can_be_overwritten(pool_order& order) const;
  /// Before a replay. What these tensors show stays: it is about to get another place.
  moved_storages keep(pool_order& order, at::TensorList but = {});
  /// The memory that the tensor shows, if it was returned last, or null.
  const static_memory* shown_by(const at::Tensor& tensor) const;
  static_memory* shown_by(const at::Tensor& tensor) {
    return const_cast<static_memory*>(static_cast<const result_set*>(this)->shown_by(tensor));
  }

 private:
  /// The result after `made`.
  at::Tensor over_memory(const result_plan& plan, const std::vector<at::Tensor>& made, std::size_t aliased);

  std::vector<result_plan> plans_;
  bool shows_outside_ = false;
  std::vector<static_memory> memories_;
  std::vector<at::Tensor> captured_inputs_;
};

}  // namespace graphed::impl
