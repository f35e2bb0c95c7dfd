// SPDX-License-Identifier: Apache-2.0
//
// Reports each use of a stream to a test. Without a hook: one load.
#pragma once

#include <graphed/impl/stream_hook.h>

#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

#include <atomic>
#include <optional>

namespace graphed::impl {

extern std::atomic<StreamHook> installed_stream_hook;

inline void tell_use(StreamUse use, const c10::Stream& stream) {
  if (const StreamHook hook = installed_stream_hook.load(std::memory_order_relaxed); C10_UNLIKELY(hook != nullptr)) {
    hook(stream, use);
  }
}

/// Nothing where there is none.
inline void tell_use(StreamUse use, const std::optional<c10::Stream>& stream) {
  if (stream) {
    tell_use(use, *stream);
  }
}

void tell_use_of_current(StreamHook hook, StreamUse use, c10::Device device);

/// Of the current stream of a device.
inline void tell_use(StreamUse use, c10::Device device) {
  if (const StreamHook hook = installed_stream_hook.load(std::memory_order_relaxed); C10_UNLIKELY(hook != nullptr)) {
    tell_use_of_current(hook, use, device);
  }
}

}  // namespace graphed::impl
