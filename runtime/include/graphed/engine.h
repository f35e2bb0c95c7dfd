// SPDX-License-Identifier: Apache-2.0
//
// What stands behind one graphed callable: its captures, their keys, and the decision how each call runs.
#pragma once

#include <graphed/export.h>
#include <graphed/graph.h>
#include <graphed/inputs.h>
#include <graphed/results.h>
#include <graphed/scalars.h>
#include <graphed/spec.h>
#include <graphed/stats.h>

#include <c10/util/FunctionRef.h>

#include <memory>
#include <optional>
#include <type_traits>

namespace torch::nn {
class Module;
}

namespace graphed {

class engine_state;

/// Thread safety: any thread may call; calls of one engine are decided one at a time.
class GRAPHED_API engine {
 public:
  /// `module`, where there is one, must outlive the engine: its parameters, buffers and train/eval state are watched.
  explicit engine(const callable_spec& spec, const torch::nn::Module* module = nullptr);

  statistics stats() const;
  /// Drops every capture. Calls in flight keep theirs until their backward ran. The counts start anew.
  void reset();

 private:
  friend class call;
  std::shared_ptr<engine_state> state_;
};

/// One call: checks the guards, finds or makes the capture, or tells that the plain callable must run.
class GRAPHED_API call {
 public:
  /// Throws guard_error under `strict`, and when a constant scalar changed.
  call(engine& engine, const inputs& inputs, scalars scalars = {});
  ~call();
  call(const call&) = delete;
  call& operator=(const call&) = delete;

  /// The graph that serves this call, captured now from `body` where it is due; null where the plain callable must run.
  /// `body` gets the static inputs and returns the flattened result.
  graph* captured(c10::function_ref<tensor_list(tensor_list&)> body);

  /// Runs the plain callable: on the capture stream when this is a warm-up, its result ordered with the caller's stream.
  template <class F>
  auto plain(F&& f) {
    begin_plain();
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      end_plain({});
    } else {
      auto result = f();
      end_plain(graphed::pack(result));
      return result;
    }
  }

 private:
  void begin_plain();
  void end_plain(const tensor_list& results);

  struct state;
  std::unique_ptr<state> state_;
};

} // namespace graphed
