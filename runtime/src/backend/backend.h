// SPDX-License-Identifier: Apache-2.0
//
// The seam between the engine and the two ways to capture: CUDA graphs, and the tape for CPU tensors.
#pragma once

#include "backend/capture_lock.h"
#include "backend/captured_graph.h"
#include "backend/host_ring.h"
#include "backend/pool_order.h"
#include "backend/replay_turns.h"
#include "report/log.h"
#include "watch/kernel_watch.h"
#include "watch/recording.h"

#include <graphed/error.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/util/FunctionRef.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphed {
enum class CaptureErrorMode : uint8_t;
}

namespace graphed::impl {

/// An owner of values that stay in a pool beyond a replay. What a capture used in passing may be memory that a later one keeps values in.
class pool_user {
 public:
  virtual ~pool_user() = default;
  /// Before the capture of this number runs, for calls of the thread with that number: moves what callers still hold of later captures.
  /// False where that cannot be: a call awaits its backward there, or belongs to another thread.
  virtual bool make_way(uint64_t capture, uint64_t thread) = 0;
  /// Of a user that is about to end, while others stay, which can no longer ask it to make way: moves what callers still hold.
  virtual void leave() noexcept = 0;
};

/// Private memory that is captured into, one graph after another: a slot's forward and its backwards, or what the user lets share it.
class pool {
 public:
  virtual ~pool() = default;
  pool& operator=(pool&&) = delete;

  /// No other pool of the process has it.
  uint64_t number() const { return number_; }
  /// What it holds now, in bytes.
  virtual uint64_t bytes() const = 0;
  /// While the result lives, what the calling thread allocates is in the pool. Null where memory has no pools.
  virtual std::shared_ptr<void> route_this_thread() = 0;
  virtual pool_order& order() = 0;
  const std::shared_ptr<replay_turns>& turns() const { return turns_; }

  /// Others may capture into it too: it has a name, or the user has a handle.
  void share() { is_shared_ = true; }
  bool is_shared() const { return is_shared_; }

  void add(pool_user& user);
  void remove(pool_user& user);
  /// Asks the others of `runner`.
  bool make_way(const pool_user& runner, uint64_t capture, uint64_t thread);

 private:
  void note_sole() { sole_ = users_.size() == 1 ? users_.front() : nullptr; }

  static inline std::atomic<uint64_t> last_number_{0};

  const uint64_t number_ = ++last_number_;
  const std::shared_ptr<replay_turns> turns_ = std::make_shared<replay_turns>();
  std::atomic<bool> is_shared_{false};
  quiet_mutex mutex_;
  std::vector<pool_user*> users_;
  std::atomic<const pool_user*> sole_{nullptr};  ///< the user, where there is one
};

/// Ends a capture on branches in which others than operators have queued work, which cannot be put in order: it must be made again,
/// without branches.
struct unordered_work {};

/// Something else is capturing: later there may be no capture.
class foreign_capture : public CaptureError {
 public:
  using CaptureError::CaptureError;
};

/// CUDA has given the capture up.
class invalidated_capture : public CaptureError {
 public:
  using CaptureError::CaptureError;
};

/// How a capture is to be made.
struct capture_request {
  c10::Device device;
  pool& memory;
  std::shared_ptr<recording> seen;  ///< the operators are shown to it by a recording_scope, which begins later
  CaptureErrorMode error_mode;
  std::optional<c10::Stream> stream;  ///< none: the backend's own for captures of the lane
  capture_lane lane = capture_lane::usual;
  /// With several, operators that do not depend on one another may be captured side by side; then the end of the capture may throw
  /// unordered_work.
  std::size_t branches = 1;
  /// Of the stand-alone API: the graph keeps the memory of the tensors from outside, which nothing else may hold. What a capture that
  /// executes did is undone at its end.
  bool standalone = false;
};

/// A stretch of a stream's time on the device, from when it was made to stop().
class interval {
 public:
  virtual ~interval() = default;
  virtual void stop() = 0;
  /// None while the device has not come to its end. Throws c10::Error for what the device reports.
  virtual std::optional<double> microseconds() const = 0;
};

/// Of a device, for people: "NVIDIA H100 80GB HBM3" and "9.0".
struct device_words {
  std::string name;
  std::string compute_capability;  ///< empty where it has none
};

class backend {
 public:
  virtual ~backend() = default;

  virtual device_words describe(c10::Device device) const = 0;

  /// Whether a capture runs the work as well (the tape), so that it is the call itself; else its first replay is.
  virtual bool capture_executes() const = 0;
  /// Static memory is aligned to at least this many bytes, and a `static` argument must be, for bit-equal results.
  virtual std::size_t alignment() const = 0;
  /// Whether the current stream is inside a capture that is not the runtime's.
  virtual bool capturing(c10::Device /*device*/) const { return false; }

  virtual std::unique_ptr<pool> make_pool(c10::Device device) = 0;
  /// With entries of so many bytes. Null where the device computes in the memory of the host. `prefix`: of messages.
  virtual std::shared_ptr<host_ring> make_host_ring(c10::Device /*device*/, std::size_t /*bytes*/, host_results_form /*form*/,
                                                    const std::string& /*prefix*/) {
    return nullptr;
  }
  /// Records that the current stream uses the memory of a tensor that another stream made, so that it is not reused too early.
  virtual void record_use(const at::Tensor& /*tensor*/) {}
  /// Begins now on the current stream, for calls that are timed. Null where the host's time says all. No capture is disturbed.
  virtual std::unique_ptr<interval> begin_interval(c10::Device /*device*/) { return nullptr; }
  /// For a capture that is under way. Null where there are no kernels.
  virtual std::unique_ptr<kernel_watch> watch_kernels(c10::Device /*device*/) { return nullptr; }
  /// Throws DeviceError, its message after `prefix`, where an earlier error has made the device unusable for this process.
  virtual void check_usable(c10::Device /*device*/, const std::string& /*prefix*/) const {}

  /// From now on the calling thread allocates from the request's pool. From open_capture::begin() on its work on the request's stream, and
  /// autograd's for it, is captured. The stream is made current until the capture dies. Throws CaptureError, and changes nothing, where a
  /// capture is under way, and graphed::Error for a stream that cannot be captured. The caller holds the process-wide capture lock until
  /// the capture is dead.
  virtual std::unique_ptr<open_capture> begin_capture(const capture_request& request) = 0;

  /// Captures what `body` does from its open_capture::begin() on, for the engine. The capture ends before this returns. If `body` or the
  /// capture throws, everything is restored first, then the exception continues; `seen` names the last operator. `inspect` gets the graph
  /// before it is instantiated.
  std::unique_ptr<executable> capture(c10::Device device, pool& pool, const std::shared_ptr<recording>& seen,
                                      c10::function_ref<void(open_capture&)> body, c10::function_ref<void(captured_graph&)> inspect,
                                      capture_lane lane = capture_lane::usual, std::size_t branches = 1);
};

backend& tape_backend();
/// Where the runtime was built with CUDA.
backend& cuda_backend();
/// The backend of a device type, or null where there is none.
backend* backend_for(c10::DeviceType type);
/// A backend, and the device with its index.
struct found_backend {
  backend& implementation;
  c10::Device device;
};
/// For a device that the user names; without an index, the type's current device. Throws graphed::Error where nothing captures there.
found_backend find_backend(c10::Device device);

/// The pool of this name on a device, in the whole process: callables of one pool share the memory that their captures use in passing. It
/// lives as long as something holds it. Without a name, a pool of its own.
std::shared_ptr<pool> named_pool(const char* name, backend& backend, c10::Device device);

}  // namespace graphed::impl
