// SPDX-License-Identifier: Apache-2.0
//
// The places of a thread's debug information, where the runtime keeps what is going on. Up to LibTorch 2.12 they are places that are there
// for tests. Whatever takes over the thread's state finds it too: autograd's threads, and tasks of at::launch or of the program, which may
// run long after the scope that has put it there.
#pragma once

#include "torch/libtorch_version.h"

#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

namespace graphed::impl {

#if GRAPHED_LIBTORCH_AT_LEAST(2, 13)
inline constexpr std::string_view recording_info_name = "graphed recording";
inline constexpr std::string_view stand_ins_info_name = "graphed stand-ins";
inline constexpr c10::DebugInfoKind recording_info_kind(&recording_info_name);
inline constexpr c10::DebugInfoKind stand_ins_info_kind(&stand_ins_info_name);
#else
inline constexpr auto recording_info_kind = c10::DebugInfoKind::TEST_INFO;
inline constexpr auto stand_ins_info_kind = c10::DebugInfoKind::TEST_INFO_2;
#endif

/// What a scope shows there until it ends. Any thread.
template <class T>
class shown_in_scope : public c10::DebugInfoBase {
 public:
  explicit shown_in_scope(std::shared_ptr<T> shown) : shown_(std::move(shown)) {}

  /// Null when the scope has ended. Until then the caller may use it, and afterwards it is at least there.
  std::shared_ptr<T> get() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }
  void end() {
    std::shared_ptr<T> dropped;  // it may end after the lock
    const std::lock_guard lock(mutex_);
    dropped.swap(shown_);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<T> shown_;
};

/// Nothing observes what this thread does from now on.
inline void drop_debug_info() { c10::ThreadLocalDebugInfo::_forceCurrentDebugInfo(nullptr); }

}  // namespace graphed::impl
