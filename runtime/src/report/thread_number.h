// SPDX-License-Identifier: Apache-2.0
//
// Which thread it is. Systems give the std::thread::id of a thread that has ended to a new one.
#pragma once

#include <atomic>
#include <cstdint>

namespace graphed::impl {

/// No thread has it.
constexpr uint64_t no_thread = 0;

/// Of the calling thread, from 1, in the order in which threads ask. No other thread of the process ever has it.
inline uint64_t thread_number() {
  static std::atomic<uint64_t> last{no_thread};
  static thread_local uint64_t own = no_thread;
  if (own == no_thread) {
    own = ++last;
  }
  return own;
}

}  // namespace graphed::impl
