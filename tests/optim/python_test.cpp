// SPDX-License-Identifier: Apache-2.0
//
// Every case of cases.txt, eager and graphed, against the figures that expected.py makes on this machine: bit for bit, step by step. What
// came out is a table; GRAPHED_OPTIM_TABLES names a folder to write it to. On a CPU the committed one, of LibTorch 2.11, must be the same.
#include "support/comparison.h"
#include "support/device_test.h"
#include "support/libtorch_version.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace python_test {

using namespace graphed::testing;

using Python = device_test;
INSTANTIATE_TEST_SUITE_P(, Python, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); });

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::filesystem::path committed_tables() {
  return std::filesystem::exists(OPTIM_TABLES) ? OPTIM_TABLES : "docs/results";  // built elsewhere
}

TEST_P(Python, EachCaseHasTheBitsOfPython) {
  comparisons all;
  for (const auto& which : all_cases()) {
    SCOPED_TRACE(which.name);
    const compared_case& seen = all.emplace_back(compare(which, device()));
    EXPECT_EQ(seen.eager.first_difference, std::nullopt) << "eager, by up to " << seen.eager.largest_difference;
    EXPECT_EQ(seen.graphed.first_difference, std::nullopt) << "graphed, by up to " << seen.graphed.largest_difference;
    EXPECT_EQ(seen.graphed.replays, steps - 2);
    EXPECT_LE(seen.live.largest_difference, live_bound(which));
  }
  ASSERT_FALSE(all.empty());
  const std::string name = std::string("optimizers-") + GetParam() + ".txt", table = table_of(all, device());
  if (const char* folder = std::getenv("GRAPHED_OPTIM_TABLES")) {
    std::ofstream(std::filesystem::path(folder) / name) << table;
  }
  if (device().is_cpu() && made_the_recorded_tables) {
    EXPECT_EQ(text_of(committed_tables() / name), table) << "to write it anew, set GRAPHED_OPTIM_TABLES to docs/results";
  }
}

// That of the other device, too, which only a GPU can make.
TEST(Tables, NameEachCase) {
  for (const char* device : {"cpu", "cuda"}) {
    const auto file = committed_tables() / (std::string("optimizers-") + device + ".txt");
    if (!std::filesystem::exists(file)) {
      ASSERT_STREQ(device, "cuda");
      continue;
    }
    const std::string table = text_of(file);
    for (const auto& which : all_cases()) {
      const std::string row = "| " + which.name + " | " + which.optimizer + " | " + which.written + " |";
      EXPECT_NE(table.find(row), std::string::npos) << file << " lacks the row " << row;
    }
  }
}

}  // namespace python_test
