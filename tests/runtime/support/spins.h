// SPDX-License-Identifier: Apache-2.0
//
// Lets the device lag behind the host, at random places: what nothing orders then shows as wrong numbers.
#pragma once

namespace graphed::testing {

/// With GRAPHED_TEST_SPINS=<seed>, each stream that the runtime uses is now and then kept busy for 10 to 300 microseconds. With
/// GRAPHED_TEST_CAPTURED_SPINS=<seed> those that are captured are, so that graphs hold further nodes. On a CPU, where a thread is its own
/// stream, the thread sleeps. No random numbers of LibTorch are drawn. The linker takes this to every program that uses a scenario.
bool spin_where_asked();

}  // namespace graphed::testing
