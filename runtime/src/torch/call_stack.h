// SPDX-License-Identifier: Apache-2.0
//
// Where in the user's code something has happened, for messages.
#pragma once

#include <string>
#include <vector>

namespace graphed::impl {

class call_stack {
 public:
  call_stack() = default;
  /// This thread's, from the innermost function to those that are below `outermost`, a frame of it; null: to the first.
  static call_stack of_this_thread(const void* outermost);

  /// "app::loss (loss.cpp:31), called by app::train (train.cpp:12)": the innermost functions that are neither LibTorch's nor the runtime's
  /// nor generated. The lines are those of debug information, as far as there is some: with optimization, of the statement or the one
  /// before. Empty where nothing is known. Reads the symbols of the user's files: for the failure of a capture, not for each call.
  std::string users_functions() const;

 private:
  std::vector<void*> addresses_;
};

}  // namespace graphed::impl
