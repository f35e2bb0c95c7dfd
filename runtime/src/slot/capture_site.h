// SPDX-License-Identifier: Apache-2.0
//
// What the captures of one slot have in common: of what, where, into which memory, and how much they hold.
#pragma once

#include "backend/backend.h"
#include "capture/static_memory.h"
#include "report/ledger.h"
#include "watch/recording.h"

#include <graphed/impl/spec.h>

#include <c10/core/Device.h>
#include <c10/util/FunctionRef.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace graphed::impl {

class capture_site {
 public:
  capture_site(std::shared_ptr<const CallableSpec> description, const SampleSpec& sample, impl::backend& backend,
               std::shared_ptr<impl::pool> pool, c10::Device device, std::shared_ptr<ledger> counts);
  ~capture_site();
  capture_site(const capture_site&) = delete;
  capture_site& operator=(const capture_site&) = delete;

  bool has(std::size_t input, unsigned flag) const { return (sample.tensors[input].flags & flag) != 0; }
  /// From now on each operator of a capture comes after the one before. A capture may throw unordered_work otherwise.
  void forbid_branches() { branches_allowed_ = false; }
  bool has_branches() const { return branches() > 1; }
  /// Runs `body` in a capture into the pool. `direction`, "forward", is for messages.
  std::unique_ptr<executable> capture(const char* direction, capture_lane lane, const std::shared_ptr<recording>& seen,
                                      c10::function_ref<void(open_capture&)> body);
  /// Replays what was captured here. Throws what the replay throws, with the callable's name where a host part is at fault.
  void replay(executable& work) const;
  /// Memory that the captures hold besides what they have added to the pool.
  void hold(uint64_t bytes);
  uint64_t bytes_held() const { return bytes_held_; }
  /// Pinned memory of the host, besides.
  void hold_pinned(uint64_t bytes);
  uint64_t bytes_pinned() const { return bytes_pinned_; }
  /// Counts it.
  void note_moved(const moved_storages& moved) const;

 private:
  const std::shared_ptr<const CallableSpec> description_;

 public:
  const CallableSpec& spec;
  const SampleSpec& sample;
  impl::backend& backend;
  const c10::Device device;
  const device_words known_as;  ///< the device: asked once, since later it may be unusable
  const std::shared_ptr<ledger> counts;
  const std::shared_ptr<impl::pool> pool;  ///< outlives the work that was captured into it
  pool_order& order;                       ///< of the pool
  const std::string backward_name;         ///< "app::policy backward"

 private:
  /// Of its graphs: the two products of a layer's backward, the networks of a step. More gave nothing, and each multiplies with 32 MiB of
  /// scratch memory.
  std::size_t branches() const;

  std::atomic<uint64_t> bytes_held_{0}, bytes_pinned_{0};
  bool branches_allowed_ = true;
};

}  // namespace graphed::impl
