// SPDX-License-Identifier: Apache-2.0
//
// How messages show sizes, times and counts. The same in every locale.
#pragma once

#include <cstdint>
#include <string>

namespace graphed::impl {

/// "512 B", "37.0 KiB", "1.5 MiB": in units of 1024, rounded to a tenth.
std::string human_bytes(uint64_t bytes);

/// "11.9 us", "12 us", "3.4 ms", "90.0 s": rounded to a tenth. `microseconds` is finite and not negative.
std::string human_time(double microseconds);

/// "1 call", "2 calls"
std::string counted(uint64_t count, const std::string& what);

}  // namespace graphed::impl
