// SPDX-License-Identifier: Apache-2.0
//
// What is outside a callable: random numbers, modes of the thread, the clock, standard input and output. It is the same at the begin of
// each run.
#pragma once

#include <cstdio>
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
  long lines_of_output() const;

  std::istringstream input_;
  std::FILE* output_;
  int standard_output_;
  std::streambuf* standard_input_;
};

}  // namespace judged
