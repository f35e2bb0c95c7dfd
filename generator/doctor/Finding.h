// SPDX-License-Identifier: Apache-2.0
//
// What the doctor finds of one thing that graphgen needs.
#pragma once

#include <string>

namespace graphgen::doctor {

enum class State { Fits, Note, Error };

struct Finding {
  std::string Subject;
  std::string What;  // its version and where it is
  State Is = State::Fits;
  std::string Remedy;  // one sentence: what is wrong and what to do; empty where it matches
};

}  // namespace graphgen::doctor
