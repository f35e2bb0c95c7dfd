// SPDX-License-Identifier: Apache-2.0
//
// The implementation of one graphed callable: its captures, their keys, and the decision how each call runs.
#pragma once

#include <graphed/estimate.h>
#include <graphed/export.h>
#include <graphed/impl/graph.h>
#include <graphed/impl/inputs.h>
#include <graphed/impl/packed.h>
#include <graphed/impl/scalars.h>
#include <graphed/impl/spec.h>
#include <graphed/impl/watched.h>
#include <graphed/stats.h>

#include <c10/util/FunctionRef.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace torch::nn {
class Module;
}

namespace graphed {
class PoolHandle;
}

namespace graphed::impl {

class engine_state;
class group_capture;

/// A copy is the same engine: it shares captures and counts.
/// Thread safety: any thread may call; calls of one engine are decided one at a time.
class GRAPHED_API Engine {
 public:
  /// Copies `spec`: captures refer to it for as long as an autograd graph holds them, which may be longer than its library is loaded.
  /// `module`, where there is one, must outlive the engine and its copies: its parameters, buffers and train/eval state are watched.
  explicit Engine(const CallableSpec& spec, const torch::nn::Module* module = nullptr);
  /// The same for what `object` holds.
  Engine(const CallableSpec& spec, WatchedObject object);
  Engine(const CallableSpec& spec, const torch::nn::Module* module, WatchedObject object);
  /// The same for a description that is made at run time: engines and captures share it. All captures go into `pool`, where it is one, else
  /// into the pool that the description names.
  Engine(std::shared_ptr<const CallableSpec> spec, const torch::nn::Module* module, const PoolHandle& pool, WatchedObject object = {});

  Statistics stats() const;
  /// Lines for people; the format may change. Each key that calls had (sample, `key` scalars, modes, members of the object) has a line:
  /// whether it warms up, is captured, or is refused and why. It also names the captures with their bytes, the replays, and the misses by
  /// reason. Then come the misses of calls that have no key, with the parameter and the expected and actual values. It does not wait, and
  /// does not use the device. Thread safety: any thread, at any time; of a capture whose backward another thread runs just now, no patterns
  /// are listed.
  std::string explain() const;
  /// Drops every capture and forgets the constants. Calls in flight keep theirs until their backward ran. The counts start again, but for
  /// `bytes_held`.
  void reset();
  /// The same callable without captures and counts, in a pool of its own; the report does not have it.
  Engine apart() const;
  /// What the captures hold now.
  Estimate estimate() const;

 private:
  explicit Engine(std::shared_ptr<engine_state> state);
  friend class Call;
  friend class group_capture;
  std::shared_ptr<engine_state> state_;
};

/// One call: checks the guards, finds or makes the capture, or says that the original function must run. Used on one thread.
class GRAPHED_API Call {
 public:
  /// Keeps `engine` and `inputs` by reference: both must outlive the call, as must what `objects`, the objects among the arguments, refers
  /// to. Throws GuardError under `strict` when a tensor does not match, and always when a constant scalar changed.
  Call(const Engine& engine, const Inputs& inputs, Scalars scalars = {}, WatchedObject objects = {});
  ~Call();
  Call& operator=(Call&&) = delete;

  /// Captures ahead what calls with such arguments will need, for each sample that they match when they have its shapes, from the largest
  /// to the smallest. It captures a forward and, where gradients are wanted, the backward for dense gradients of all results. It runs the
  /// callable, at least once for each sample, on these arguments or on zeros. Then it restores what that changed: tensors from outside,
  /// arguments, the random state; no `.grad` changes. The next such call is a replay. Samples that are captured already are left. Throws
  /// GuardError where the arguments match no sample, CaptureError where a capture fails, or another thread's lasts for 30 seconds; what
  /// `body` throws passes through.
  static void prepare(const Engine& engine, const Inputs& inputs, c10::function_ref<tensor_list(tensor_list&)> body,
                      const Scalars& scalars = {}, const WatchedObject& objects = {}) {
    prepare(engine, inputs, body, [] { return nullptr; }, scalars, objects);
  }
  /// The same; `body` leaves the form of its result in `form`, as for ForwardGraph::form.
  template <class Result>
  static void prepare(const Engine& engine, const Inputs& inputs, c10::function_ref<tensor_list(tensor_list&)> body,
                      const std::shared_ptr<const Result>& form, const Scalars& scalars = {}, const WatchedObject& objects = {}) {
    prepare(engine, inputs, body, [&form] { return form; }, scalars, objects);
  }

  /// The graph that serves this call, captured now from `body` where it is due; null where the original function must run. `body` gets the
  /// static inputs and returns the flattened result. Once only. Throws CaptureError under `strict` when the capture fails, whatever `body`
  /// threw; else that is a warning, and null. `strict` also throws where no capture is tried: all slots are in use, too many captures were
  /// made, or three have failed. Where another thread is capturing, it returns null all the same. Throws DeviceError where the device can
  /// no longer be used.
  ForwardGraph* captured(c10::function_ref<tensor_list(tensor_list&)> body);

  /// An argument marked `host`, where the callable computes: what the original function gets.
  at::Tensor on_device(const at::Tensor& argument);
  std::optional<at::Tensor> on_device(const std::optional<at::Tensor>& argument);

  /// Runs the original function, for a call that `captured` returned null for, on the caller's stream. What `f` throws passes through; a
  /// warm-up counts all the same.
  template <class F>
  auto original(F&& f) {
    begin_original();
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      end_original({});
    } else {
      auto result = f();
      end_original(graphed::pack(result));
      return result;
    }
  }
  /// The same, of a result whose tensors `visit` visits.
  template <class F, class Visit>
  auto original(F&& f, const Visit& visit) {
    begin_original();
    auto result = f();
    end_original(impl::pack(result, visit));
    return result;
  }

 private:
  static void prepare(const Engine& engine, const Inputs& inputs, c10::function_ref<tensor_list(tensor_list&)> body,
                      c10::function_ref<std::shared_ptr<const void>()> form, const Scalars& scalars, const WatchedObject& objects);
  void begin_original();
  void end_original(const tensor_list& results);

  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace graphed::impl
