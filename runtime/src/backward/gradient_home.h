// SPDX-License-Identifier: Apache-2.0
//
// The memory in which backward graphs leave the gradient of one leaf. No capture has temporaries there, so that forwards and other graphs
// leave it alone, and `.grad` may show it for as long as it is added to.
#pragma once

#include "capture/static_memory.h"
#include "report/thread_number.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <mutex>
#include <utility>

namespace graphed::impl {

class backend;
class pool;

class gradient_home {
 public:
  /// That of this leaf, which all callables share that it is alive for; made if there is none.
  static std::shared_ptr<gradient_home> of(const at::Tensor& leaf, backend& backend);

  /// That which the leaf's `.grad` shows, or null.
  static std::shared_ptr<gradient_home> shown_by_grad_of(const at::Tensor& leaf);

  gradient_home(const at::Tensor& leaf, backend& backend);

  /// The memory itself, of the leaf's shape, laid out as autograd lays out a leaf's first gradient.
  const at::Tensor& memory() const { return memory_; }

  /// For a thread that is about to write: no other one is.
  std::unique_lock<std::mutex> try_lock() { return {mutex_, std::try_to_lock}; }
  /// Under the lock: whether it may be written for the thread with that number. Not while another thread may be reading what it got, nor,
  /// unless that may be moved, while something holds it.
  bool may_write(uint64_t user, bool may_move) const { return (user_ == user && may_move) || !handed_.alive(); }
  /// Under the lock, before a graph writes it whose pool has this order: the current stream waits for the graph that wrote it last, perhaps
  /// of another pool. An earlier gradient that something still holds moves.
  moved_storages make_way(overwrite& next);
  /// The same where the graph adds to what is there.
  void wait(pool_order& order);
  /// Under the lock, after it: a leaf's new `.grad`, the same tensor as before if nothing holds that any longer.
  at::Tensor hand_out(uint64_t user);

 private:
  explicit gradient_home(std::pair<std::shared_ptr<pool>, at::Tensor> made);
  /// Makes the current stream wait for the last writer, and notes the next one. Returns the order of the last one.
  pool_order& change_writer(pool_order& next);

  const std::shared_ptr<pool> pool_;  ///< outlives the memory
  const at::Tensor memory_;
  std::mutex mutex_;
  static_memory handed_;
  uint64_t user_ = no_thread;
  pool_order* written_in_ = nullptr;
};

}  // namespace graphed::impl
