// SPDX-License-Identifier: Apache-2.0
//
// arc4random, which LLVM's static libraries take where they were built, for names of temporary files: glibc has it from 2.36 on, and with
// this one graphgen runs on older ones.
#include <sys/random.h>
#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t Number = 0;
  if (getrandom(&Number, sizeof(Number), 0) != static_cast<ssize_t>(sizeof(Number))) {
    std::abort();
  }
  return Number;
}
