// SPDX-License-Identifier: Apache-2.0
//
// Where in the user's code something has happened, for messages and the report.
#pragma once

#include <c10/util/FunctionRef.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphed::impl {

struct source_line {
  std::string function = {};  ///< "app::loss"; empty where it was inlined into another's
  std::string file = {};      ///< empty without debug information; from the current folder, if it is below it
  uint64_t line = 0;
};

class call_stack {
 public:
  call_stack() = default;
  /// This thread's, from the innermost function, without the `outer` first ones.
  static call_stack of_this_thread(std::size_t outer);
  /// How many functions are around the one that calls this.
  static std::size_t depth();

  /// Lines can be read until what static storage holds now has ended: LibTorch keeps the symbols in static storage.
  static void begin_reading_symbols() noexcept;

  /// Drops the functions of LibTorch, of the runtime and of the system, and all but the innermost `most` of the others.
  void keep_users(std::size_t most);
  /// The innermost functions that are wanted, `most` at most, and neither LibTorch's nor the runtime's nor generated. The lines are those
  /// of debug information, as far as there is some: with optimization, of the statement or the one before. Reads the symbols of the user's
  /// files: for the failure of a capture or for the report, not for each call.
  std::vector<source_line> users_lines(std::size_t most, c10::function_ref<bool(const source_line&)> is_wanted) const;
  /// "app::loss (loss.cpp:31), called by app::train (train.cpp:12)", or empty.
  std::string users_functions() const;

  /// Stacks are equal if their functions were called at the same places.
  bool operator<(const call_stack& other) const { return addresses_ < other.addresses_; }

 private:
  std::vector<void*> addresses_;
};

}  // namespace graphed::impl
