// SPDX-License-Identifier: Apache-2.0
//
// Memory of the host that launches on a device read and write, in entries of which each is one call's at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace graphed::impl {

/// What a launch writes into an entry. Few results come in words of 8 bytes: 4 of data, then the call's sequence number. Each word is
/// written at once, so that a word with the number has its data. Others come as they are, and last of all the number in the entry's
/// beginning.
struct host_results_form {
  bool are_there = false;
  std::size_t words = 0;  ///< 0: as they are
};

/// Thread safety: different entries may be used side by side.
class host_ring {
 public:
  /// As many as a staging node keeps sets of addresses: a launch then changes few bytes of its parameters.
  static constexpr std::size_t entries = 4;
  /// Of what an entry holds, the number at its beginning included; a cache line.
  static constexpr std::size_t alignment = 64;
  /// So many words at most: each thread of a block writes one.
  static constexpr std::size_t most_words = 256;
  /// Of so many results at most: one kernel takes them.
  static constexpr std::size_t most_results_in_words = 64;

  /// `bytes` of each entry.
  host_ring(std::size_t bytes, host_results_form form) : bytes_(bytes), form_(form) {}
  virtual ~host_ring() = default;
  host_ring& operator=(host_ring&&) = delete;

  char* entry(std::size_t index) const { return memory() + index * bytes_; }
  /// Before the launch, which gets the same number.
  void expect(std::size_t index, uint32_t number) { expected_[index] = number; }
  /// Whether the launch has written all.
  bool is_written(std::size_t index) const;
  /// The data of a word.
  uint32_t data(std::size_t index, std::size_t word) const {
    return static_cast<uint32_t>(words_of(index)[word].load(std::memory_order_relaxed));
  }
  /// After the launch, on the current stream. The next wait reports what fails.
  virtual void note_launch(std::size_t index) noexcept = 0;
  /// Until the launch has ended; at once where none was noted. Throws DeviceError where the device can no longer be used.
  virtual void wait(std::size_t index) = 0;
  /// Until the launch has written all: polls, then wait(). Throws Error where it has not.
  void wait_until_written(std::size_t index);

 private:
  virtual char* memory() const = 0;
  [[noreturn]] virtual void fail() const = 0;
  const std::atomic<uint64_t>* words_of(std::size_t index) const {
    return reinterpret_cast<const std::atomic<uint64_t>*>(entry(index) + alignment);
  }

  const std::size_t bytes_;
  const host_results_form form_;
  std::array<uint32_t, entries> expected_{};
};

}  // namespace graphed::impl
