// SPDX-License-Identifier: Apache-2.0
//
// Programs of several ranks: each rank is a child process of the test program, which is this program begun again.
#pragma once

#include <graphed/process_group.h>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace graphed::testing {

/// What a rank does. It fails by an exception.
using rank_program = std::function<void(ProcessGroup&)>;

/// Makes a program known by its name to the ranks. For static storage.
struct named_rank_program {
  named_rank_program(const char* name, rank_program program);
};

/// How a rank ended.
struct rank_end {
  bool ended_well;
  std::string output;
  double seconds;
};

struct rank_settings {
  std::map<std::string, std::string> environment = {};
  double seconds = 120;  ///< for all ranks; then they are ended
  bool first_keeps_store = false;
  std::map<std::string, std::string> of_rank_1 = {};  ///< further variables, for it alone
};

/// Runs it on so many ranks, on "cpu" or, a GPU each, on "cuda".
std::vector<rank_end> run_ranks(const char* program, int ranks, const std::string& device, const rank_settings& settings = {});
/// Why there cannot be so many ranks on this device; empty where there can.
std::string too_few_devices(const std::string& device, int ranks);
/// Each rank must end well.
void expect_ranks_end_well(const char* program, int ranks, const std::string& device);
/// Runs the program of the rank that the environment names, or the tests.
int main_of_ranks(int argc, char** argv);

inline void require_that(bool holds, const std::string& what) {
  if (!holds) {
    throw std::runtime_error("expected: " + what);
  }
}

/// An error whose text has this part.
inline void require_error(const std::function<void()>& action, const std::string& part) {
  std::string text = "none";
  try {
    action();
  } catch (const std::exception& error) {
    text = error.what();
  }
  require_that(text.find(part) != std::string::npos, "an error '" + part + "', got " + text);
}

}  // namespace graphed::testing

/// A program of ranks, with the parameter `group`.
#define GRAPHED_RANK_PROGRAM(name)                                                 \
  static void name(graphed::ProcessGroup& group);                                  \
  static const graphed::testing::named_rank_program name##_is_known(#name, &name); \
  static void name(graphed::ProcessGroup& group)
