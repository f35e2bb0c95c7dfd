// SPDX-License-Identifier: Apache-2.0
//
// What a thread runs of a callable, for its collectives: their messages name it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace graphed::impl {

class rank_group;

/// A callable that this process has made. Ranks distinguish those of one name by it.
struct made_callable {
  const std::string name;
  const uint64_t number;                                   ///< among all, from 1
  const uint64_t ordinal;                                  ///< among those of its name, in the order of their making, from 1
  const std::shared_ptr<const std::atomic<uint64_t>> all;  ///< how many of its name have been made until now
};

/// The innermost one of a thread counts. It ends on the thread that it began on.
class run_in_hand {
 public:
  run_in_hand();
  virtual ~run_in_hand();
  run_in_hand& operator=(run_in_hand&&) = delete;

  /// "a replay of 'app::learn'"
  virtual std::string words() const = 0;
  /// Null where no callable is run.
  virtual std::shared_ptr<const made_callable> callable() const { return nullptr; }
  /// Another one than that of any other run of this thread; from 1.
  uint64_t number() const { return number_; }
  /// It runs a collective of the group.
  virtual void note_group(const std::shared_ptr<rank_group>& /*group*/) {}

  /// Of this thread; null where there is none.
  static run_in_hand* current();
  /// " in a replay of 'app::learn'"; empty where there is none.
  static std::string place();

 private:
  run_in_hand* const outer_;
  const uint64_t number_;
};

}  // namespace graphed::impl
