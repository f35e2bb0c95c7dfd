// SPDX-License-Identifier: Apache-2.0
//
// What a graphed::ProcessGroup is: a c10d backend, the board where its ranks meet, and the captures that hold its collectives.
#pragma once

#include "distributed/board.h"
#include "distributed/monitor.h"
#include "watch/rank_group.h"

#include <graphed/process_group.h>

#include <c10/util/FunctionRef.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace graphed::impl {

class group final : public rank_group, public std::enable_shared_from_this<group> {
 public:
  /// From now on the collectives find it by its name, which no other group of this process has.
  static std::shared_ptr<group> make(c10::intrusive_ptr<c10d::Backend> backend, std::shared_ptr<impl::board> ranks, c10::Device device);
  /// Throws Error where there is none, as after shutdown().
  static std::shared_ptr<group> named(std::string_view name);
  static std::vector<std::shared_ptr<group>> living();
  ~group() override;

  const std::string name;
  const c10::Device device;
  const int rank, size;
  /// Throws Error after shutdown().
  impl::board& board() const;
  /// For a collective that the kernel of an operator is about to run: the watcher of this thread's run learns of it. Throws as board::check
  /// does. Null where the run leaves out its collectives.
  c10d::Backend* begin_collective();
  /// It has been queued on the current stream.
  void end_collective();
  /// Compares the signature over the ranks where `form` is new; whether it is.
  bool compare_once(const std::string& what, const std::string& form, c10::function_ref<std::string()> signature);
  /// As ProcessGroup::shutdown.
  void shutdown();
  /// As ~ProcessGroup.
  void end(bool is_failing) noexcept;
  /// As ProcessGroup::fail.
  void fail(const std::string& why) noexcept { fail_by("has failed", why); }
  /// By an exception that nothing catches. From another thread, where the group's does not come back.
  void end_uncaught(const std::string& why) noexcept;

  bool is_open() const override { return is_open_; }
  void begin_launch(const std::string& whose) override;
  void end_launch() override;
  std::string vote(ballot on, const std::shared_ptr<const made_callable>& callable, const std::string& objection) override;
  void note_cause(const std::string& what) noexcept override;
  std::shared_ptr<const void> hold(const std::string& whose) override;
  void add(const std::shared_ptr<capture_owner>& owner) override;

 private:
  void begin_callable();
  void note_launch();
  void note_collective();
  group(std::string name, c10::intrusive_ptr<c10d::Backend> backend, std::shared_ptr<impl::board> ranks, c10::Device device);
  void fail_by(const char* what, const std::string& why) noexcept;
  std::string holder();
  void leave();
  void leave_to_parent() noexcept;

  std::shared_ptr<impl::board> board_;  ///< null after the end
  c10::intrusive_ptr<c10d::Backend> backend_;
  std::shared_ptr<last_collective> last_;
  std::unique_ptr<monitor> monitor_;  ///< null where the rank is alone
  std::atomic<bool> is_open_{true};
  std::set<std::string> compared_;
  uint64_t counted_run_ = 0;  ///< whose collectives were the last
  std::mutex mutex_;          ///< guards what follows
  std::vector<std::weak_ptr<capture_owner>> owners_;
  std::map<const void*, std::string> holders_;
};

}  // namespace graphed::impl
