// SPDX-License-Identifier: Apache-2.0
//
// Where a generator of random numbers stands.
#pragma once

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>

namespace graphed::impl {

/// Holds the generator's mutex, unless it stays held for longer than a draw takes: a program may hold it around a call that uses no
/// random numbers.
inline std::unique_lock<std::mutex> lock_for_a_look(at::Generator& generator) {
  constexpr std::chrono::milliseconds longest_draw{100};
  std::unique_lock lock(generator.mutex(), std::try_to_lock);
  for (const auto begin = std::chrono::steady_clock::now(); !lock && std::chrono::steady_clock::now() - begin < longest_draw;) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

/// Undefined where it cannot be known, since the generator's mutex is held.
inline at::Tensor random_state(at::Generator generator) {
  const auto lock = lock_for_a_look(generator);
  return lock ? generator.get_state() : at::Tensor();
}

/// Of the default generator, as the others here.
inline at::Tensor random_state(c10::Device device) { return random_state(at::globalContext().defaultGenerator(device)); }

/// Of states that are known.
inline bool same_bytes(const at::Tensor& one, const at::Tensor& other) {
  return one.nbytes() == other.nbytes() && std::memcmp(one.const_data_ptr(), other.const_data_ptr(), one.nbytes()) == 0;
}

/// Of a CUDA generator, which does not show its offset while the thread captures: behind its seed.
inline uint64_t offset_in(const at::Tensor& state) {
  uint64_t offset = 0;
  std::memcpy(&offset, static_cast<const char*>(state.const_data_ptr()) + sizeof(offset), sizeof(offset));
  return offset;
}

/// One that is not known changes nothing.
inline void set_random_state(at::Generator generator, const at::Tensor& state) {
  if (state.defined()) {
    const std::lock_guard lock(generator.mutex());
    generator.set_state(state);
  }
}

inline void set_random_state(c10::Device device, const at::Tensor& state) {
  set_random_state(at::globalContext().defaultGenerator(device), state);
}

/// The generator that an operator is given to draw from; none where it uses no random numbers, or from the default one.
inline at::Generator generator_given(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  const auto index = op.hasTag(at::Tag::nondeterministic_seeded) ? op.schema().argumentIndexWithName("generator") : std::nullopt;
  const bool is_given = index && !arguments[static_cast<std::size_t>(*index)].isNone();
  return is_given ? arguments[static_cast<std::size_t>(*index)].toGenerator() : at::Generator();
}

}  // namespace graphed::impl
