// SPDX-License-Identifier: Apache-2.0
//
// Whose turn it is in a pool. A replay with host parts is several launches. Until the last of them, values that it still needs are in the
// pool's memory, and code of the user's runs in between. No lock is held then, as that code may replay graphs, and wait for threads that
// do.
#pragma once

#include "report/pages.h"
#include "report/thread_number.h"

#include <graphed/error.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace graphed::impl {

/// For which a replay waits, at most, while one host part of another thread's runs: that may itself wait for the thread that waits.
constexpr std::chrono::seconds longest_wait_for_host_part{5};

/// The replays with host parts of one pool: one at a time. Graphs are known by the numbers of their captures.
class replay_turns {
 public:
  /// One such replay.
  class turn {
   public:
    /// Waits as replay_turns::wait.
    turn(replay_turns& all, uint64_t graph) : all_(all) {
      std::unique_lock lock(all.mutex_);
      all.wait(lock, graph);
      all.holder_ = thread_number();
      all.graph_ = graph;
      all.is_taken_ = true;
    }
    ~turn() {
      {
        const std::lock_guard lock(all_.mutex_);
        all_.is_taken_ = false;
      }
      all_.changed_.notify_all();
    }
    turn& operator=(turn&&) = delete;

   private:
    replay_turns& all_;
  };

  /// A host part of the replay whose turn it is.
  class part {
   public:
    explicit part(replay_turns& all) : all_(all) {
      all.set_part(clock::now());
      all.changed_.notify_all();
    }
    ~part() { all_.set_part(std::nullopt); }
    part& operator=(part&&) = delete;

   private:
    replay_turns& all_;
  };

  bool are_taken() const { return is_taken_; }
  /// Returns when no replay has its turn. Throws Error where this thread's has, so that one of its host parts is what calls, and after a
  /// wait in vain for a host part of another thread's.
  void wait(uint64_t graph) {
    if (are_taken()) {
      std::unique_lock lock(mutex_);
      wait(lock, graph);
    }
  }

 private:
  using clock = std::chrono::steady_clock;

  void set_part(std::optional<clock::time_point> began) {
    const std::lock_guard lock(mutex_);
    part_began_ = began;
  }

  void wait(std::unique_lock<std::mutex>& lock, uint64_t graph) {
    const auto arrival = clock::now();
    while (is_taken_) {
      if (holder_ == thread_number()) {
        refuse_within(graph);
      }
      if (!part_began_) {
        changed_.wait(lock);
        continue;
      }
      const auto last = std::max(arrival, *part_began_) + longest_wait_for_host_part;
      if (clock::now() >= last) {
        refuse_to_wait();
      }
      changed_.wait_until(lock, last);
    }
  }

  [[noreturn]] void refuse_within(uint64_t graph) const {
    throw Error(graph == graph_ ? "graphed: a host part replays its own graph, whose replay is not over" + see(pages::standalone_host_parts)
                                : "graphed: a host part replays another graph of its graph's pool, which would overwrite what the rest of "
                                  "its own graph reads: capture that graph into another pool" +
                                      see(pages::standalone_host_parts));
  }

  [[noreturn]] static void refuse_to_wait() {
    throw Error("graphed: a replay has waited " + std::to_string(longest_wait_for_host_part.count()) +
                " seconds for a host part of another thread's replay in the same pool, which may be waiting for this thread: hold no "
                "lock that the host part takes, or capture a graph for each thread, into a pool of its own" +
                see(pages::standalone_host_parts));
  }

  std::atomic<bool> is_taken_{false};
  std::mutex mutex_;  ///< guards what follows, and changes of is_taken_
  std::condition_variable changed_;
  uint64_t holder_ = no_thread;
  uint64_t graph_ = 0;
  std::optional<clock::time_point> part_began_;  ///< none: it is in a piece
};

}  // namespace graphed::impl
