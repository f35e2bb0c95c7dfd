// SPDX-License-Identifier: Apache-2.0
//
// Memory of the host that launches on a device read and write, in entries of which each is one call's at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace graphed::impl {

/// An entry begins with a word that the device writes after everything else that a launch writes there.
/// Thread safety: different entries may be used side by side.
class host_ring {
 public:
  /// As many as a staging node keeps sets of addresses: a launch then changes few bytes of its parameters.
  static constexpr std::size_t entries = 4;
  /// Of what an entry holds, the word included; a cache line.
  static constexpr std::size_t alignment = 64;

  /// `bytes` of each entry; `memory` for all of them.
  explicit host_ring(std::size_t bytes) : bytes_(bytes) {}
  virtual ~host_ring() = default;
  host_ring& operator=(host_ring&&) = delete;

  char* entry(std::size_t index) const { return memory() + index * bytes_; }
  /// Before the launch.
  void expect(std::size_t index) const { word_of(index).store(0, std::memory_order_relaxed); }
  /// Whether the launch has written all.
  bool is_written(std::size_t index) const { return word_of(index).load(std::memory_order_acquire) != 0; }
  /// After the launch, on the current stream. The next wait reports what fails.
  virtual void note_launch(std::size_t index) noexcept = 0;
  /// Until the launch has ended; at once where none was noted. Throws DeviceError where the device can no longer be used.
  virtual void wait(std::size_t index) = 0;
  /// Until the launch has written all: polls, then wait(). Throws Error where it has not.
  void wait_until_written(std::size_t index);

 private:
  virtual char* memory() const = 0;
  [[noreturn]] virtual void fail() const = 0;
  std::atomic<uint64_t>& word_of(std::size_t index) const { return *reinterpret_cast<std::atomic<uint64_t>*>(entry(index)); }

  const std::size_t bytes_;
};

}  // namespace graphed::impl
