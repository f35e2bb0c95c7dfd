// SPDX-License-Identifier: Apache-2.0
//
// Where the ranks of a group meet on the host: a c10d store that they share. All ranks come to the same meetings in the same order.
#pragma once

#include "distributed/claim.h"

#include <graphed/error.h>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace graphed::impl {

using bytes = std::vector<uint8_t>;

inline bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string text_of(const bytes& value) { return {value.begin(), value.end()}; }

/// Some rank has come to another meeting. All ranks learn that in this one, and go on together with the next.
class out_of_step : public Error {
 public:
  using Error::Error;
};

/// What a rank comes to a meeting for.
struct errand {
  std::string what;                                         ///< "all_reduce_": the same for all ranks
  std::string place = {};                                   ///< " in a replay of 'app::learn'": for people, and of each rank its own
  std::shared_ptr<const made_callable> callable = nullptr;  ///< the same for all ranks that have one
  /// Of what this thread runs.
  static errand in_hand(std::string what);
  std::string words() const;
};

/// How far a rank has come, for the others.
struct standing {
  uint64_t meetings = 0;  ///< that it has been to
  uint64_t launches = 0;  ///< calls and replays that hold collectives, for which its host does not wait, and collectives beside them
  std::string waits_in;   ///< the next meeting, where it is there; or empty
  std::string begun;      ///< as board::begun()
  std::string text() const;
  static standing of(const std::string& text);
};

/// What users wrote, for the other ranks: a kilobyte at most.
std::string cut_short(const std::string& text);

/// Why a rank cannot go on where a store throws.
std::string no_store(const c10::Error& error);

/// Thread safety: failure(), fail(), check(), begun(), stands(), tell_life() and is_ahead_of() any; the others one thread at a time.
class board {
 public:
  /// `keeps_store`: the store lives in this process.
  board(c10::intrusive_ptr<c10d::Store> store, int rank, int size, std::chrono::milliseconds timeout, bool keeps_store = false);

  const int rank, size;
  const std::chrono::milliseconds timeout;

  /// What each rank provides, by rank, when all have come. All come for the same, else out_of_step. Throws Error where the callables that
  /// the ranks come from do not belong together. Throws Error where the group has failed, a rank has left it, or one does not come in time.
  std::vector<bytes> meet(const errand& at, const bytes& own) { return meet(at, own, timeout); }
  std::vector<bytes> meet(const errand& at, const bytes& own, std::chrono::milliseconds limit);
  bool was_out_of_step = false;  ///< since this was last set to false

  /// This rank comes to no more meetings. The rank that keeps the store waits for the others to leave, or to learn why the group has
  /// failed. `together`: it waits for a while for the others to leave as well. True where all have, which then all ranks return; else none
  /// does.
  bool leave(bool together);
  /// After a failure, where this rank keeps the store: for as long as they may need it.
  void wait_for_others_to_learn() const;
  /// For any thread, by a connection of its own.
  static bool has_left(int of, c10d::Store& store) { return store.check({"left/" + std::to_string(of)}); }

  /// Why the group cannot go on; empty while it can.
  std::string failure() const;
  /// From now on everything that waits throws. The first one counts.
  void fail(const std::string& why);
  /// fail(), and the other ranks learn of it.
  void fail_all(const std::string& why) noexcept { fail_all(why, *store_); }
  void fail_all(const std::string& why, c10d::Store& store) noexcept;
  /// Throws Error where something has failed, and in a process that was forked from the one that made it. `at`: what this rank is in.
  void check(const errand* at = nullptr) const;
  /// Whether this process is a child of the one that made it, which has the connection to the store.
  bool is_forked() const;
  /// This rank is in a callable of this name, or after it. The others learn that at once where it is new, else by the next sign of life.
  void begin(const std::string& callable);
  /// ", in 'app::learn' or after it"
  std::string begun() const;
  /// A sign of life, with where this rank stands; none from std::exit on.
  void tell_life(c10d::Store& store);
  static std::string key_of_life(int of) { return "life/" + std::to_string(of); }
  /// Of such a sign; nothing where it is empty.
  static standing standing_in(const std::string& life);
  /// Collectives are queued on a device.
  void note_launch() { ++launches_; }
  standing stands() const;
  /// Whether this rank has launched what `other` has not, which waits for it in a meeting that this rank has not come to: each waits for
  /// the other, permanently.
  bool is_ahead_of(const standing& other) const;
  /// Should this rank fail, the others say that this came before.
  void note_cause(const std::string& what) noexcept;

  /// For another thread: the same store by a connection of its own.
  c10::intrusive_ptr<c10d::Store> second_connection() const { return store_->clone(); }
  /// ", after this: ..." where that rank has noted a cause.
  static std::string cause_of(c10d::Store& store, int of);
  static const char* key_of_failure() { return "failure"; }

 private:
  std::string key_of(int of, std::size_t part) const;
  void post(const errand& at, const bytes& own);
  std::vector<bytes> meet_all(const errand& at, const bytes& own, std::chrono::milliseconds limit);
  void check_callables(const errand& at, const std::vector<claim>& claims, const std::vector<std::string>& words);
  bytes wait_for(int of, std::size_t part, const errand& at, std::chrono::milliseconds limit);
  void check_coming(int of, const errand& at);
  bool have_all(const char* done) const;
  bool leaves_with_all();
  void keep_store_for_others();

  const c10::intrusive_ptr<c10d::Store> store_;
  const bool keeps_store_;
  std::atomic<uint64_t> meetings_{0}, launches_{0};
  std::vector<std::string> posted_, posted_before_;  ///< keys in the store
  known_callables callables_;
  std::atomic<bool> has_failed_{false};
  const uint64_t generation_;  ///< of processes
  std::string callable_;       ///< written by the rank's thread
  std::set<std::string> all_begun_;
  std::mutex mutex_of_life_;
  uint64_t signs_of_life_ = 0;
  mutable std::mutex mutex_;
  std::string failure_;
  std::string waits_in_;
};

}  // namespace graphed::impl
