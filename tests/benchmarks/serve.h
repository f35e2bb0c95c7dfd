// SPDX-License-Identifier: Apache-2.0
//
// Requests for measurements, and their answers.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace benchmarks {

/// Measures what a line WORKLOAD PEER[,PEER...] SECONDS asks for. Returns a line of JSON with an object for each peer, by its name: what
/// was measured of it, `error`, or `absent` where the workload has no such peer. The others are measured all the same. Throws
/// std::invalid_argument where the line is no such request or there is no such workload.
std::string answer(const std::string& request, c10::Device device);

}  // namespace benchmarks
