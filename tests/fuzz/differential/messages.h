// SPDX-License-Identifier: Apache-2.0
//
// What two runs of one program must have in common when they throw.
#pragma once

#include "runtime/support/scenario.h"

#include <exception>
#include <string>

namespace graphed::fuzz {

/// The first line of an exception's text, without what eager's own check finds on its way.
std::string stable_message(const std::exception& error);

/// Whether `action` throws, and what of that both runs must say.
template <class F>
void see_outcome(testing::scenario& run, const std::string& label, F&& action) {
  try {
    action();
    run.see(label, "no error");
  } catch (const std::exception& error) {
    run.see(label, stable_message(error));
  }
}

}  // namespace graphed::fuzz
