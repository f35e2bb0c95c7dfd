// SPDX-License-Identifier: Apache-2.0
#include "backend/host_ring.h"

#include <chrono>

namespace graphed::impl {

// What a graph that is worth polling for takes: a thread that sleeps is woken later than that.
static constexpr std::chrono::microseconds polled{50};

static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

bool host_ring::is_written(std::size_t index) const {
  const uint32_t number = expected_[index];
  if (form_.words == 0) {
    return reinterpret_cast<const std::atomic<uint32_t>*>(entry(index))->load(std::memory_order_acquire) == number;
  }
  const std::atomic<uint64_t>* const words = words_of(index);
  for (std::size_t i = form_.words; i-- > 0;) {
    if (static_cast<uint32_t>(words[i].load(std::memory_order_acquire) >> 32) != number) {
      return false;
    }
  }
  return true;
}

void host_ring::wait_until_written(std::size_t index) {
  constexpr int looks = 64;  // between two looks at the clock
  const auto end = std::chrono::steady_clock::now() + polled;
  do {
    for (int look = 0; look < looks; ++look) {
      if (is_written(index)) {
        return;
      }
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  wait(index);
  if (!is_written(index)) {
    fail();
  }
}

}  // namespace graphed::impl
