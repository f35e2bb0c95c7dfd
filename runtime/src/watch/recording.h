// SPDX-License-Identifier: Apache-2.0
//
// What the operators under a callable touch: their names, the tensors from outside that they read and write. It watches warm-up calls and
// captures of both backends; the tape derives from it to keep the operators themselves.
#pragma once

#include "torch/dispatch_path.h"
#include "torch/interception.h"
#include "watch/live_source.h"
#include "watch/operator_trace.h"
#include "watch/random_watch.h"

#include <graphed/error.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace graphed {

/// A tensor that was there before the recording began and is not an input.
struct outside_tensor {
  at::Tensor tensor;     ///< the TensorImpl that the first operator saw
  bool written = false;  ///< by an operator that counts versions
  bool changed = false;  ///< by any operator
  bool used = false;     ///< otherwise than by detach, which zero_grad calls on what it drops
};

/// Ends a capture whose work sets the state of a random generator, which a replay would not do again.
class random_state_error : public capture_error {
 public:
  random_state_error() : capture_error("it sets the state of a random generator, which a replay would not do") {}
};

class recording {
 public:
  enum class purpose { warmup, capture };

  /// `host_tensors_allowed`: on a CPU every tensor lives in host memory; in a CUDA capture a host tensor from outside would be frozen.
  recording(purpose purpose, bool host_tensors_allowed);
  virtual ~recording() = default;
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;

  bool is_capture() const { return purpose_ == purpose::capture; }
  /// No other recording of the process has it.
  uint64_t number() const { return number_; }

  /// Tensor `name` is an input: reading it is expected, writing it only if `writable`.
  void add_input(const at::Tensor& tensor, std::string name, bool writable);
  /// Tensor is known to be held by somebody outside: in host memory, it is no number of the callable's own.
  void add_held(const at::Tensor& tensor);

  /// The operator that was entered last, "aten::add.Tensor", or empty.
  std::string last_operator() const;
  /// Whether an operator wrote to this input.
  bool writes(const at::Tensor& input) const;
  /// Whether its memory is an input's, or an operator has used or made it.
  bool knows(const at::Tensor& tensor) const;
  /// Whether an operator has used this very tensor since the last one that returned it.
  bool goes_on_from(const at::Tensor& tensor) const;
  /// Whether its memory is what an operator has made.
  bool made(const at::Tensor& tensor) const;
  /// Of the operators so far.
  operator_trace trace() const;
  /// The first operator that steps a parameter by a number from the host, as frozen_update tells it.
  std::string frozen_update() const;
  /// Whether the callable reads a value on the host, which ends every capture.
  bool reads_on_host() const;
  void note_host_read();
  /// Whether autograd goes back within it.
  bool goes_back() const { return goes_back_; }
  void note_backward() { goes_back_ = true; }
  /// What operators get in place of `original`.
  void add_stand_in(const at::Tensor& stand_in, const at::Tensor& original);
  /// The callable decides on the host by whether this has a `.grad`.
  void note_gradient_of(const at::Tensor& tensor);
  /// From now on, a state of a random generator that is set in between is noticed, and ends a capture.
  void watch_random_numbers(c10::Device device);
  /// Whether one was.
  bool sets_random_state() const;
  /// The memory from outside that operators used.
  std::unordered_set<const c10::StorageImpl*> used_storages() const;
  /// In the order of their first use, those that somebody holds first.
  std::vector<outside_tensor> outside_tensors() const;
  /// Those of them that somebody else holds.
  std::vector<outside_tensor> held_outside() const;
  /// The others, without numbers: state that the callable has replaced meanwhile, or tensors made of host memory.
  std::vector<at::Tensor> abandoned_outside() const;

  /// What host code of the callable decides on. For the thread that records.
  live_sources& sources() { return sources_; }
  const live_sources& sources() const { return sources_; }

  /// Called around each operator that is intercepted, from any thread. `before` may throw to refuse it.
  virtual void before(const c10::OperatorHandle& op, const dispatch_path& below, c10::ArrayRef<c10::IValue> arguments);
  virtual void after(const c10::OperatorHandle& op, const dispatch_path& below, std::vector<c10::IValue> arguments,
                     c10::ArrayRef<c10::IValue> results);

 protected:
  enum class access { read, write, hidden_write };
  static access access_of(const c10::OperatorHandle& op, std::size_t argument, c10::ArrayRef<c10::IValue> arguments);
  void put_back_random_numbers() const;
  /// Called under the lock, before the first write to an input's memory or an outside tensor.
  virtual void before_write(const at::Tensor& /*outside*/) {}
  /// Called under the lock, before the first use of an outside tensor.
  virtual void before_use(const at::Tensor& /*outside*/) {}
  /// Called under the lock, before each draw from a generator that the operator is given.
  virtual void before_draw(const at::Generator& /*given*/) {}

 private:
  struct input {
    std::string name;
    bool writable;
    bool written = false;
  };
  void note(const at::Tensor& tensor, access access, const c10::OperatorHandle& op);
  std::size_t outside_index(const at::Tensor& used);
  struct sorted_outside {
    std::vector<outside_tensor> held, others;
  };
  sorted_outside sorted() const;
  bool is_outside(const at::Tensor& tensor) const;
  bool is_parameter(const at::Tensor& tensor) const;
  /// Whether it is the caller's own tensor, not a view that the callable made of it.
  bool is_callers(const at::Tensor& tensor) const;

  const purpose purpose_;
  const uint64_t number_;
  const bool host_tensors_allowed_;
  mutable std::mutex mutex_;
  std::string last_operator_;
  operator_trace trace_;
  std::string frozen_update_;
  bool reads_on_host_ = false;
  std::atomic<bool> goes_back_{false};
  std::optional<random_watch> random_;
  bool sets_random_state_ = false;
  std::unordered_map<const c10::StorageImpl*, input> inputs_;
  std::unordered_set<const c10::TensorImpl*> input_handles_;
  std::unordered_set<const c10::StorageImpl*> held_;
  std::unordered_map<const c10::TensorImpl*, at::Tensor> originals_;  ///< by their stand-ins
  std::unordered_set<const c10::StorageImpl*> inside_;
  std::unordered_set<const c10::TensorImpl*> operands_;  ///< not returned by an operator since
  std::unordered_map<const c10::StorageImpl*, std::size_t> outside_by_storage_;
  std::unordered_map<const c10::TensorImpl*, std::size_t> outside_by_tensor_;
  std::unordered_set<const c10::TensorImpl*> views_;  ///< of tensors from outside, made by the recorded operators
  std::vector<outside_tensor> outside_;
  live_sources sources_;
};

/// What is wrong with an abandoned tensor.
std::string abandoned_text(const at::Tensor& tensor);

/// While it lives, operators of this thread, and of autograd threads that work for it, are shown to `seen`.
class recording_scope {
 public:
  explicit recording_scope(recording& seen);
  ~recording_scope();
  recording_scope(const recording_scope&) = delete;
  recording_scope& operator=(const recording_scope&) = delete;

 private:
  c10::DebugInfoGuard info_;
  const at::CallbackHandle backwards_;
  interception_scope operators_;
};

/// While it lives, no recording sees the operators of this thread.
class unrecorded_scope {
 public:
  unrecorded_scope();

 private:
  interception_pause operators_;
};

/// The recording that is active on this thread, or null.
recording* active_recording();
/// The parameter's `.grad`, of which the active recording, where there is one, learns that the callable decides by it.
const at::Tensor& gradient_of(const at::Tensor& parameter);
/// Whether this thread works for a capture of the runtime.
bool inside_capture();

}  // namespace graphed
