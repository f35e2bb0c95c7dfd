// SPDX-License-Identifier: Apache-2.0
//
// Branches and loops that a tensor's value decides. The host decides in an eager call and in a warm-up; a capture holds all bodies.
#pragma once

#include "watch/observer.h"

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/FunctionRef.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace graphed::impl {

class recording;

/// What decides which body runs.
struct flow_choice {
  at::Tensor truth;                ///< one element of bool; the body of a loop writes it
  std::optional<int64_t> at_most;  ///< so many times, of a loop; none: the first body where it is true, else the second

  bool second_comes_first = false;  ///< as bodies are captured

  bool is_loop() const { return at_most.has_value(); }
  /// The number of the body that is captured in this turn.
  std::size_t body_in_turn(std::size_t turn) const { return second_comes_first ? 1 - turn : turn; }
  /// "graphed::if_else"
  const char* name() const { return is_loop() ? "graphed::while_loop" : "graphed::if_else"; }
};
using flow_body = c10::function_ref<void()>;

/// A capture that holds control flow.
class flow_capture {
 public:
  flow_capture() = default;
  virtual ~flow_capture() = default;
  flow_capture& operator=(flow_capture&&) = delete;

  /// On the thread that captures: runs each body once, and captures it. Bodies may come to others. Throws what a body throws, with nothing
  /// left of the choice.
  virtual void choose(const flow_choice& what, c10::ArrayRef<flow_body> bodies) = 0;
  /// Also while a body is captured: what `make` allocates is there before the choice.
  virtual void make_outside(c10::function_ref<void()> make) { make(); }
};

/// Which body a recording runs: those of different runs of a callable have the same path where they are the same code.
struct body_place {
  std::string path;           ///< "/0/then": of the first choice
  uint64_t visit;             ///< no other one of the process has it
  body_place* outer;          ///< the body that it is in, or null
  std::size_t choices = 0;    ///< that it has come to
  uint64_t also = 0;          ///< it may use what that visit has made, whose gradients it computes, or which is its condition's; 0: none
  bool is_condition = false;  ///< of a loop; a graph evaluates it once more where the loop ends at its most
};
using body_paths = std::set<std::string>;
/// Of the active recording the innermost one, or null.
const body_place* current_body();
inline bool inside_body() { return current_body() != nullptr; }
/// The path of the choice that the run, or the body, comes to next.
std::string next_choice();
/// The body may use what that visit has made.
void use_also(uint64_t visit);

/// While it lives, the active recording, if any, runs a body.
class body_scope {
 public:
  explicit body_scope(std::string path, bool is_condition = false);
  ~body_scope();
  body_scope& operator=(body_scope&&) = delete;

  uint64_t visit() const { return here_.visit; }

 private:
  recording* const seen_;
  body_place here_;
};
/// In a body of a capture: throws CaptureError for what a body must not do.
void check_in_body(const operator_call& call);

}  // namespace graphed::impl
