// SPDX-License-Identifier: Apache-2.0
//
// What a call of a peer costs.
#pragma once

#include "peer.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>

namespace benchmarks {

struct timings {
  double host;                ///< microseconds that the caller's thread takes to enqueue a call, with few calls in flight
  double wall;                ///< microseconds a call where call follows call and the device is waited for at the end
  std::optional<double> gpu;  ///< microseconds of the device a call, where all calls are enqueued before the first begins
};

struct measurement {
  timings time;
  double ready;                                ///< microseconds from making the peer to its first replay's result
  std::optional<double> capture;               ///< microseconds that graphed callables spent on captures
  std::optional<int64_t> allocated, reserved;  ///< peak bytes, of the workload's state and the peer
};

/// Measures a peer that is made for this, on a state that is made for this: each of the timings from about `seconds` of calls. Throws as
/// make_peer.
measurement measure(const entry& entry, const std::string& peer, c10::Device device, double seconds);

}  // namespace benchmarks
