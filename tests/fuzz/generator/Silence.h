// SPDX-License-Identifier: Apache-2.0
//
// What a run prints.
#pragma once

#include <string>

namespace graphgen::fuzz {

/// While it lives, standard output and standard error go to files in memory.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

  /// What went to standard output.
  static std::string output();

 private:
  int Output;
  int Errors;
};

}  // namespace graphgen::fuzz
