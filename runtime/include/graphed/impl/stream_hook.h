// SPDX-License-Identifier: Apache-2.0
//
// For tests: where the runtime uses streams. A hook that queues work there lets the device lag behind the host, so that work which nothing
// orders shows as wrong numbers.
#pragma once

#include <graphed/export.h>

#include <c10/core/Stream.h>

#include <cstdint>

namespace graphed::impl {

/// What the runtime is about to do on a stream, or has just done. The first five are of the caller's current stream.
enum class StreamUse : uint8_t {
  Stage,     ///< a call or a backward stages what it was given
  Launch,    ///< a graph is launched; it was staged
  Launched,  ///< a graph was launched
  WarmUp,    ///< the original function runs and is watched
  WarmedUp,  ///< it has run
  Capture,   ///< the stream is captured from here on, or a further piece of a graph
  Branch,    ///< the stream is captured, and an operator is put on this branch
  Backward,  ///< a backward runs eagerly on the stream on which its forward was captured
};

/// Called on the thread that uses the stream, under locks of the runtime: it may queue work, and does nothing else of the runtime's. On a
/// CPU the stream is the one that LibTorch has for it.
using StreamHook = void (*)(const c10::Stream& stream, StreamUse use);

/// Of the process. Null: none. Returns the one before. Thread safety: any thread, any time.
GRAPHED_API StreamHook set_stream_hook(StreamHook hook) noexcept;

}  // namespace graphed::impl
