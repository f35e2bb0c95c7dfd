// SPDX-License-Identifier: Apache-2.0
//
// Measures the peers of a workload: each one alone, then all of them in turn.
#pragma once

#include "memory.h"
#include "peer.h"

#include <c10/core/Device.h>

#include <optional>
#include <string>
#include <vector>

namespace benchmarks {

struct beginning {
  double ready;                   ///< microseconds from making the peer to its first replay's result
  std::optional<double> capture;  ///< microseconds that graphed callables spent on captures
  std::optional<memory> peaks;    ///< of the workload's state and the peer, from before both were made until some units have run
};

/// Of a peer that is made for this, on a state that is made for this. No graph captured by hand may be alive. Throws as make_peer.
beginning measure_alone(const entry& entry, const std::string& peer, c10::Device device);

/// As the timer's figures, by round; none of a GPU on a CPU.
struct timings {
  std::vector<double> host, wall, gpu;
};

/// Times peers that are made for this, each on a state of its own and all alive, in rounds. For each figure every peer has one short turn,
/// in a random order. So the samples of one round are milliseconds apart, and a drift of the machine's clocks meets all of them. Rounds end
/// after `seconds` for each figure and peer; there are some at the least, and as many of each peer. Returned in the order of `peers`. No
/// graph captured by hand may be alive. Throws as make_peer.
std::vector<timings> time_together(const entry& entry, const std::vector<std::string>& peers, c10::Device device, double seconds);

}  // namespace benchmarks
