// SPDX-License-Identifier: Apache-2.0
//
// What a call of a peer costs.
#pragma once

#include "peer.h"

#include <c10/core/Device.h>

#include <chrono>
#include <vector>

namespace benchmarks {

using clock = std::chrono::steady_clock;

double microseconds_since(clock::time_point start);

/// Waits for all that is queued; on a CPU that is nothing.
void synchronize(c10::Device device);

/// Times one peer for some milliseconds at a time, so that several can take turns. What runs between the turns has the caches: each begins
/// with calls that are not timed.
class timer {
 public:
  /// Calls the peer, which is prepared and outlives this, to see how many calls fit into a turn.
  timer(peer& peer, c10::Device device);

  /// Microseconds that the caller's thread takes to enqueue a call, with few calls in flight.
  double host();
  /// Microseconds a call where call follows call and the device is waited for at the end.
  double wall();
  /// Microseconds of the device a call, where all calls are enqueued before the first begins. Throws std::logic_error on a CPU.
  double gpu();

 private:
  void run(int calls);
  int calls_within(double microseconds, int most) const;
  void warm_up();
  double host_of(int calls);
  double wall_of(int calls);

  peer& peer_;
  const c10::Device device_;
  double wall_, host_ = wall_;  // as last seen
};

}  // namespace benchmarks
