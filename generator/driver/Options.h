// SPDX-License-Identifier: Apache-2.0
//
// The command line.
#pragma once

#include "driver/OptionTable.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::driver {

enum class Mode {
  Write,
  Check,
  CheckDefinitions,
  Join,
  Print,
  DumpPlan,
  DebugFacts,
  Explain,
  Compare,
  ListChecks,
  ExplainCheck,
  Completion,
  ManPage,
  Doctor
};
enum class Format { Clang, Sarif, Json };
enum class Explained { Text, Html, Json };
enum class Shell { Bash, Zsh, Fish };

struct Options {
  std::vector<std::string> Files;
  std::string BuildDir;  // empty: looked for above each file
  std::string OutDir;
  std::string Depfile;                   // empty: none
  std::string Summary;                   // to write; empty: none
  bool NoJoin = false;                   // none follows that reads the summary
  std::vector<std::string> SourceLists;  // with Mode::Join
  bool IsProgram = false;                // with Mode::Join: the sources are all of a program
  std::string Checks;                    // globs
  std::string WarningsAsErrors;          // globs
  std::string Callables;                 // with Mode::CheckDefinitions: a file of their names; empty: every source is scanned
  std::string ExplainedId;               // with Mode::ExplainCheck
  Shell CompletedShell = Shell::Bash;    // with Mode::Completion
  std::vector<OptionRow> Rows;           // with Mode::Completion and Mode::ManPage
  Mode What = Mode::Write;
  bool UsePrecompiled = true;
  std::string CacheDir;    // empty: the usual one
  uint64_t CacheSize = 0;  // bytes
  bool Timings = false;
  enum Format Format = Format::Clang;  // of diagnostics
  Explained ExplainAs = Explained::Text;
  bool Fix = false;
  std::string ExportFixes;                        // empty: nowhere
  std::optional<std::vector<std::string>> Flags;  // what follows `--`
};

/// Nothing after complaining about wrong usage. --help and --version end the program.
std::optional<Options> parseOptions(int Count, const char* const* Arguments);

}  // namespace graphgen::driver
