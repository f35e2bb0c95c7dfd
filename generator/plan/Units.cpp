// SPDX-License-Identifier: Apache-2.0
//
// What would be rounded up to 1024 of a unit is one of the next.
#include "plan/Units.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace graphgen::plan {

std::string bytesInWords(uint64_t Bytes) {
  constexpr uint64_t Step = 1024;
  if (Bytes < Step) {
    return std::to_string(Bytes) + " B";
  }
  constexpr double LargestShown = 1023.95;
  const char* Unit = "KMGTPE";
  auto Value = static_cast<double>(Bytes) / Step;
  for (; Value >= LargestShown && Unit[1] != '\0'; ++Unit) {
    Value /= Step;
  }
  return llvm::formatv("{0:F1} {1}iB", Value, *Unit).str();
}

std::string timeInWords(std::chrono::duration<double> Time) {
  constexpr double Milli = 1000, LargestMilliseconds = 999.5, LargestSeconds = 59.95;
  const double Seconds = Time.count();
  if (Seconds * Milli < LargestMilliseconds) {
    return llvm::formatv("{0:F0} ms", Seconds * Milli).str();
  }
  if (Seconds < LargestSeconds) {
    return llvm::formatv("{0:F1} s", Seconds).str();
  }
  constexpr long PerMinute = 60;
  const long Whole = std::lround(Seconds);
  return llvm::formatv("{0} min {1} s", Whole / PerMinute, Whole % PerMinute).str();
}

}  // namespace graphgen::plan
