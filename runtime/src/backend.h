// SPDX-License-Identifier: Apache-2.0
//
// The seam between the engine and the two ways to capture: CUDA graphs, and the tape for CPU tensors.
#pragma once

#include "recording.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace graphed {

/// Work that was captured once and runs again on the addresses it was captured with.
class executable {
 public:
  virtual ~executable() = default;
  /// On CUDA: one launch on the current stream, ordered after the last replay of the device's order domain. Random numbers advance as
  /// eager's do. Autograd modes of the caller do not matter.
  virtual void replay() = 0;
  /// Later replays write these tensors where they are now. On CUDA nothing ever moves.
  virtual void pin(at::TensorList /*tensors*/) {}
};

/// The private memory of one slot: its forward and its backwards are captured into it, one after another.
class pool {
 public:
  virtual ~pool() = default;
  /// What it holds now, in bytes.
  virtual uint64_t bytes() const = 0;
};

/// While it lives, the calling thread's work runs on a side stream, which has waited for the stream that was current before. Its destructor
/// makes that stream wait for the side stream and current again. A tape has one stream: nothing happens.
class stream_scope {
 public:
  virtual ~stream_scope() = default;
  /// A tensor that was made inside and is used outside.
  virtual void hand_over(const at::Tensor& tensor) = 0;
};

class backend {
 public:
  virtual ~backend() = default;

  /// Whether a capture runs the work as well (the tape), so that it is the call itself; else its first replay is.
  virtual bool capture_executes() const = 0;
  /// Static memory is aligned to at least this many bytes, and an argument must be, for bit-equal results.
  virtual std::size_t alignment() const = 0;
  /// Whether the current stream is inside a capture that is not the runtime's.
  virtual bool capturing(c10::Device device) const = 0;

  virtual std::unique_ptr<pool> make_pool(c10::Device device) = 0;
  /// What a capture of this backend is watched with. A tensor in host memory from outside is refused where it would be frozen, unless
  /// allowed.
  virtual std::shared_ptr<recording> make_recording(bool host_tensors_allowed) const {
    return std::make_shared<recording>(recording::purpose::capture, host_tensors_allowed);
  }
  /// Copies `bytes` bytes between two places of this backend's memory, on the current stream.
  virtual void copy_bytes(void* to, const void* from, std::size_t bytes) = 0;
  /// Before static memory is read or written on the current stream otherwise than by replay() and copy_bytes(), as staging does: the stream
  /// waits for its last use on another stream.
  virtual void begin_use(c10::Device /*device*/) {}
  /// After that, as cloning an output is: the next use on another stream waits for it. A replay that follows does it as well.
  virtual void end_use(c10::Device /*device*/) {}
  /// The current stream uses a tensor that another stream made.
  virtual void hand_over(const at::Tensor& /*tensor*/) {}
  virtual std::unique_ptr<stream_scope> enter_side_stream(c10::Device device) = 0;

  /// Captures what `body` does on the calling thread and on autograd's, with memory from `pool`, watched by `seen`. The capture ends before
  /// this returns. If `body` or the capture throws, everything that the capture changed is put back first: the stream, the allocator, the
  /// generator, for the tape also the random state and the tensors in `seen` that were written; then the exception continues. `seen` comes
  /// from make_recording(); `body` shows the operators to it by a recording_scope. The caller holds the process-wide capture lock.
  virtual std::unique_ptr<executable> capture(c10::Device device, pool& pool, const std::shared_ptr<recording>& seen,
                                              c10::function_ref<void()> body) = 0;
};

/// The backend of a device type, or null where there is none.
backend* backend_for(c10::DeviceType type);
/// Called once for each backend, when the library is loaded.
void register_backend(c10::DeviceType type, backend* implementation);

}  // namespace graphed
