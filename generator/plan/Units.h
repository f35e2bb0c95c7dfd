// SPDX-License-Identifier: Apache-2.0
//
// Bytes and times for people; manifests and JSON have exact numbers.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace graphgen::plan {

/// "40 B", "32.0 KiB", "1.5 GiB"
std::string bytesInWords(uint64_t Bytes);

/// "104 ms", "12.5 s", "2 min 5 s"
std::string timeInWords(std::chrono::duration<double> Time);

}  // namespace graphgen::plan
