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
#include <c10/util/ArrayRef.h>
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
  handed_memory(at::Tensor memory, uint64_t pool);
  /// The pool gives it to no later capture before its last readers have ended.
  ~handed_memory() override;

  at::Tensor owner;
  uint64_t pool;  ///< its number
  mutable stream_readers readers;
  pool_order* order = nullptr;         ///< of the last replay that wrote it; null before the first
  std::optional<c10::Stream> taker{};  ///< of that replay: where results may still be read; none if it may be gone
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
  explicit overwrite(pool_order& order) : order(order), stream(order.has_streams() ? order.lasting_stream() : std::nullopt) {}

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
  moved_storages move(pool_order& order, c10::ArrayRef<c10::Stream> readers = {});
  moved_storages keep(overwrite& next) {
    const bool is_settled = memory_->order == &next.order && memory_->taker == next.stream && memory_->readers.is_empty();
    return !next.order.has_streams() || is_settled ? move(next.order) : move(next.order, wait_for_readers(next));
  }

 private:
  bool is_taken_elsewhere(const overwrite& next) const { return memory_->taker && memory_->taker != next.stream; }
  bool is_retained_alone() const;
  c10::intrusive_ptr<c10::StorageImpl> shown() const;
  c10::DataPtr pointer() const;

  c10::intrusive_ptr<handed_memory> memory_;
  c10::weak_intrusive_ptr<c10::StorageImpl> handed_;
  at::Tensor retained_;  ///< undefined, or over what was returned last
};

}  // namespace graphed::impl
