// SPDX-License-Identifier: Apache-2.0
//
// Hooks: functions that are called when graphs of this process are captured, instantiated, replayed and destroyed: graphs of graphed
// callables and of the stand-alone API.
//
// Python: torch.cuda has none; TransformerEngine's capture_time_hooks are the nearest.
#pragma once

#include <graphed/export.h>

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace graphed {

enum class GraphEvent : uint8_t {
  CaptureBegin,  ///< before a capture begins: on the thread that captures, outside of the capture
  CaptureEnd,    ///< after it has ended, or failed and been rolled back
  Instantiate,   ///< an executable graph was made
  ReplayBegin,   ///< before a launch, on the caller's current stream: work that the hook queues there runs before the graph
  ReplayEnd,     ///< after the launch, which on CUDA the GPU may not have begun: work that the hook queues runs after the graph
  Destroy,       ///< an executable graph is gone
};

/// "capture_begin" of GraphEvent::CaptureBegin.
GRAPHED_API const char* to_string(GraphEvent event);

struct EventInfo {
  GraphEvent event;
  uint64_t graph;      ///< the capture's number in this process: the executable graphs made of one capture have the same
  c10::Device device;  ///< of the capture
  bool failed;         ///< of CaptureEnd and ReplayEnd: it threw, or a capture was discarded
};

/// Calls on several threads may overlap. Hooks are observers. What one throws becomes a warning that names the event, and that hook is
/// removed; the capture or replay continues. Inside a hook graphed callables run the original function, graphs cannot be captured or
/// instantiated (that throws), and replays call no hooks.
using Hook = std::function<void(const EventInfo&)>;

/// Removes the hook when it dies. Thread safety: a handle by itself none, different handles any.
class GRAPHED_API HookHandle {
 public:
  HookHandle() = default;
  HookHandle(HookHandle&& other) noexcept = default;
  HookHandle& operator=(HookHandle&& other) noexcept = default;

  /// A call that another thread has begun may still be under way when this returns.
  void remove() noexcept { hook_.reset(); }

 private:
  friend GRAPHED_API HookHandle add_hook(GraphEvent event, Hook function);
  std::shared_ptr<const Hook> hook_;  // its end removes it
};

/// From now on `function` is called on each `event`, after the hooks that were there before. Any thread may call. Throws graphed::Error for
/// an empty function.
[[nodiscard]] GRAPHED_API HookHandle add_hook(GraphEvent event, Hook function);

}  // namespace graphed
