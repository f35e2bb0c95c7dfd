// SPDX-License-Identifier: Apache-2.0
//
// Only the compiler is needed: there are build files for other tools than CMake, and other generators than Ninja.
#include "doctor/Tools.h"

#include "doctor/RunProgram.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/VersionTuple.h"

namespace graphgen::doctor {
namespace {

/// A program that prints its version.
struct Tool {
  explicit Tool(llvm::StringRef Name) : Path(programOnPath(Name)) {
    if (Path.empty()) {
      return;
    }
    const Answer Said = ask(Path, {"--version"});
    Version = versionIn(Said.Text.value_or(""));
    Problem = Said.Text && Version.empty() ? "prints no version" : Said.Problem;
  }

  std::string Path;  // empty where there is none
  std::string Version;
  std::string Problem;  // why it does not
};

Finding judgeCMake() {
  Finding Result{"CMake", "none", State::Note, "no CMake was found: install version " GRAPHGEN_OLDEST_CMAKE " or later"};
  const auto [Program, Text, Problem] = Tool("cmake");
  if (!Problem.empty()) {
    return {"CMake", Program, State::Note, remedyOf("CMake", Program, Problem)};
  }
  llvm::VersionTuple Version, Oldest;
  if (Version.tryParse(Text) || Oldest.tryParse(GRAPHGEN_OLDEST_CMAKE)) {
    return Result;
  }
  Result.What = Text + ", " + Program;
  if (Version < Oldest) {
    Result.Remedy =
        "CMake " + Text + " is too old: install version " GRAPHGEN_OLDEST_CMAKE " or later, for example with `pip install cmake`";
  } else {
    Result.Is = State::Fits;
    Result.Remedy.clear();
  }
  return Result;
}

Finding judgeNinja() {
  const auto [Program, Version, Problem] = Tool("ninja");
  if (!Problem.empty()) {
    return {"Ninja", Program, State::Note, remedyOf("Ninja", Program, Problem)};
  }
  if (Version.empty()) {
    return {"Ninja", "none", State::Note, "no Ninja was found: install the package ninja-build, or let CMake generate Makefiles"};
  }
  return {"Ninja", Version + ", " + Program, State::Fits, {}};
}

/// What CMake takes: $CXX, with flags or a launcher before it, else c++.
Finding judgeCompiler() {
  const std::string Given = llvm::sys::Process::GetEnv("CXX").value_or("c++");
  llvm::SmallVector<llvm::StringRef> Words;
  llvm::SplitString(Given, Words);
  const std::string Program = Words.empty() ? std::string() : programOnPath(Words.front());
  if (!Words.empty()) {
    Words.erase(Words.begin());
  }
  Words.push_back("--version");
  const Answer Said = Program.empty() ? Answer() : ask(Program, Words);
  if (!Said.Problem.empty()) {
    return {"C++ compiler", Program, State::Error, remedyOf("the C++ compiler", Program, Said.Problem)};
  }
  if (!Said.Text) {
    return {"C++ compiler", "none", State::Error,
            "no C++ compiler was found: install g++ or clang, or name one by the environment variable CXX"};
  }
  return {"C++ compiler", llvm::StringRef(*Said.Text).split('\n').first.str() + ", " + Program, State::Fits, {}};
}

}  // namespace

std::vector<Finding> judgeTools() { return {judgeCMake(), judgeNinja(), judgeCompiler()}; }

}  // namespace graphgen::doctor
