// SPDX-License-Identifier: Apache-2.0
//
// The options as rows: completions and the manual page are made of them.
#pragma once

#include <string>
#include <vector>

namespace graphgen::driver {

struct CommandLine;

struct OptionRow {
  std::string Name;   // "out-dir"
  std::string Value;  // "dir"; empty where it takes none
  std::string Meaning;
  struct Choice {
    std::string Word, Meaning;
  };
  std::vector<Choice> Choices;  // of the value, where it has some
  bool IsOfDoctor = false;      // doctor takes it, too

  /// "-p" or "--out-dir"
  std::string spelling() const { return (Name.size() == 1 ? "-" : "--") + Name; }
  bool takesFolder() const { return Value == "dir" || Value == "build"; }
  bool takesFile() const { return Value == "file"; }
};

/// In the order of their names.
std::vector<OptionRow> optionRows(CommandLine& Line);

}  // namespace graphgen::driver
