// SPDX-License-Identifier: Apache-2.0
//
// What lies around a callable: random numbers, modes of the thread, the clock, standard input and output. It is the same at the begin of
// each run.
#pragma once

#include <cstdio>
#include <exception>
#include <sstream>
#include <string>

namespace judged {

class World {
 public:
  World();
  World(const World&) = delete;
  ~World();

  /// Modes that the call before left are set back, as a caller's guard does.
  void before_call(int call);
  /// All that the call changed.
  std::string after_call();

 private:
  std::istringstream input_;
  std::FILE* output_;
  int standard_output_;
  std::streambuf* standard_input_;
};

/// Of an exception's text, which may go on with a stack.
std::string first_line(const std::exception& error);

}  // namespace judged
