// SPDX-License-Identifier: Apache-2.0
//
// What a child process expects of a staged_program in which something failed.
#pragma once

#include "staged_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

namespace graphed::testing {

[[noreturn]] inline void end_wrongly(const std::string& why) {
  std::cerr << why << std::endl;
  std::_Exit(EXIT_FAILURE);
}

inline void expect(bool condition, const std::string& what) {
  if (!condition) {
    end_wrongly("expected " + what);
  }
}

/// What leaves a call or a backward: nothing where it ends as if nothing had happened.
inline std::optional<std::string> error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::logic_error& error) {  // other bits
    end_wrongly(error.what());
  } catch (const std::exception& error) {
    return std::string(typeid(error).name()) + ": " + error.what();
  }
  return std::nullopt;
}

inline void expect_error(const std::optional<std::string>& got, const std::vector<std::string>& any_of) {
  expect(got.has_value(), "an error: " + any_of.front());
  expect(std::any_of(any_of.begin(), any_of.end(), [&](const std::string& part) { return got->find(part) != std::string::npos; }),
         any_of.front() + ", got " + *got);
}

inline bool is_capture(stage now) { return now == stage::forward_capture || now == stage::backward_capture; }
inline bool is_replay(stage now) { return now == stage::first_replay || now == stage::later_replay || now == stage::backward; }

/// After something that passes: the calls go on as if it had not been.
inline void expect_to_go_on(staged_program& program, stage failed, bool has_failed) {
  if (failed == stage::destruction) {
    return;
  }
  if (program.held.defined()) {
    expect(program.is_result(program.held), "the held result to keep its bits");
  }
  const std::optional<std::string> later = error_of([&] { program.run_calls(6); });
  expect(!later, "later calls to go on, got " + later.value_or(""));
  const Statistics stats = program.stats();
  expect(stats.captures == 1 && stats.backward_captures == 1, "one capture: " + stats.to_json());
  expect(stats.failed_captures == (is_capture(failed) && has_failed ? 1U : 0U), "no other capture to fail: " + stats.to_json());
}

}  // namespace graphed::testing

/// Runs `child` in a process that must end well. It is begun again, as CUDA does not outlive a fork.
#define EXPECT_ENDS_WELL(child)                   \
  GTEST_FLAG_SET(death_test_style, "threadsafe"); \
  EXPECT_EXIT((child, std::_Exit(EXIT_SUCCESS)), ::testing::ExitedWithCode(EXIT_SUCCESS), "")
