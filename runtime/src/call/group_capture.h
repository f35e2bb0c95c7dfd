// SPDX-License-Identifier: Apache-2.0
//
// Capturing several callables ahead of their calls, in an order, without leaving a trace.
#pragma once

#include "capture/restored_state.h"
#include "slot/slot.h"

#include <graphed/engine.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

namespace graphed {

class group_capture {
 public:
  struct member {
    graphed::engine engine;
    inputs arguments;
    std::function<tensor_list(tensor_list&)> body;
  };
  /// Throws guard_error where arguments do not fit or nothing captures.
  explicit group_capture(std::vector<member> members);

  /// Runs every callable, then captures in `order` (see graphed_options::order), which has a backward for each forward. Throws
  /// capture_error where a capture fails; what a callable throws in a warm-up passes through. The engines must be dropped then. Once only.
  void run(const std::vector<int>& order);

 private:
  /// The slots of one callable.
  struct slots_of {
    std::deque<slot_lease> in_flight;          ///< whose forward has come, the oldest first
    std::deque<slot_lease> idle;               ///< whose backward has come as well
    std::unordered_set<const slot*> complete;  ///< whose backward is captured
  };
  void warm_up(member& one);
  void forward(std::size_t index);
  void backward(std::size_t index);
  void finish(std::size_t index);

  std::vector<member> members_;
  std::vector<slots_of> slots_;
  std::optional<restored_state> before_;
};

}  // namespace graphed
