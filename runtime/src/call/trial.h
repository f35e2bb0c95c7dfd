// SPDX-License-Identifier: Apache-2.0
//
// Whether the replays of a key are worth it: what its calls cost, and what follows from that. For `policy = auto`.
#pragma once

#include "backend/timing.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace graphed {

enum class call_kind : std::size_t {
  warmup,  ///< plain and watched, on a side stream
  replay,
  plain,  ///< as the user would have called it
};

/// The least costs of the calls of one round. Others came by while the rest ran.
class call_costs {
 public:
  enum class verdict {
    open,         ///< more replays are wanted
    wants_plain,  ///< plain calls are wanted
    keep,         ///< the replays are no slower, or it is not known
    slower,
  };
  static constexpr int replays = 8;      ///< that are timed in a round
  static constexpr int plain_calls = 3;  ///< likewise
  /// What a warm-up costs over a plain call, at most: 2.4 was measured, of a hundred tiny operators on a CPU.
  static constexpr double watching = 3;
  /// What a replay may cost over a plain call: clocks differ by so much.
  static constexpr double noise = 1.05;

  void add(call_kind kind, double microseconds);
  int count(call_kind kind) const { return of(kind).calls; }
  double least(call_kind kind) const { return of(kind).microseconds; }
  verdict judge() const;
  /// Of the next round: the warm-ups alone.
  void begin_again();

 private:
  struct figure {
    int calls = 0;
    double microseconds = std::numeric_limits<double>::infinity();
  };
  const figure& of(call_kind kind) const { return figures_[static_cast<std::size_t>(kind)]; }

  std::array<figure, 3> figures_;
};

/// Begins with the first warm-up that is timed. Replays that were slower in each of several rounds are given up: a machine that is busy
/// with something else for a while does not decide. After the first round plain calls come between the replays, so that it hits both alike.
/// Thread safety: all members.
class trial {
 public:
  static constexpr int rounds = 3;
  static constexpr int calls_between = 8;  ///< two rounds
  /// What the next call is to do.
  enum class turn {
    untimed,       ///< nothing special
    timed_replay,  ///< it is timed, where it is a replay
    timed_plain,   ///< it runs plainly, and is timed
    goes_back,     ///< it runs plainly, the first one that the verdict is known to
    gone_back,     ///< it runs plainly, as all that follow
  };

  /// Whether calls must ask for their turn. One load.
  bool concerns_calls() const noexcept { return stage_.load(std::memory_order_relaxed) >= stage::open; }
  bool has_gone_back() const noexcept { return stage_.load(std::memory_order_relaxed) == stage::back; }
  bool takes_warmups() const noexcept {
    const stage now = stage_.load(std::memory_order_relaxed);
    return now == stage::unbegun || now == stage::open;
  }

  turn next();
  /// `cost` has been stopped.
  void add(call_kind kind, timing cost);
  /// Replays it is, whatever they cost.
  void keep();
  /// What is known so far of the last round.
  call_costs costs() const;

 private:
  enum class stage : uint8_t { unbegun, kept, open, back };

  /// Takes in what the device has come to the end of.
  void settle();
  void end(stage last);
  int begun(call_kind kind) const;
  /// Of the round that runs.
  turn next_to_time() const;
  turn end_round();

  std::atomic<stage> stage_{stage::unbegun};
  mutable std::mutex mutex_;
  call_costs costs_;
  int slower_rounds_ = 0;
  int calls_to_pass_ = 0;
  std::vector<std::pair<call_kind, timing>> pending_;
};

}  // namespace graphed
