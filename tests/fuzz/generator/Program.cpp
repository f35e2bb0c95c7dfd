// SPDX-License-Identifier: Apache-2.0
//
// What one run of graphgen is given.
#include "Program.h"

#include "Choices.h"
#include "Declarations.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"

namespace graphgen::fuzz {
namespace {

using driver::Format;
using driver::Mode;

constexpr size_t MostLines = 12;
constexpr Mode Modes[] = {Mode::Write, Mode::Write,    Mode::Write, Mode::Explain, Mode::CheckDefinitions,
                          Mode::Check, Mode::DumpPlan, Mode::Print};
constexpr Format Formats[] = {Format::Clang, Format::Clang, Format::Sarif, Format::Json};
constexpr const char* FileNames[] = {"policy.h",       "net/policy.h", "policy.cpp",        "INJECTED.h", "net/INJECTED.hpp",
                                     "*/INJECTED.h",   "a b/c++.cpp",  "$(INJECTED)/`x`.h", "'.h",        "%s.h",
                                     "\xe5\x87\xbd.h", "x.graphed.h",  "..policy..h",       "#if.cpp",    "?.h"};

bool isFileName(llvm::StringRef Name) {
  return !Name.empty() && Name.size() < 100 && !Name.starts_with("-") && !Name.contains('/') && !Name.contains('\0') && Name != "." &&
         Name != "..";
}

/// The fuzzer's own text as a name, where a file system can hold it.
std::string inputName(Choices& From) {
  if (!From.oneIn(8)) {
    return From.of(FileNames);
  }
  const llvm::StringRef Text = From.text();
  return isFileName(Text) ? Text.str() + (From.oneIn(2) ? "INJECTED.cpp" : ".h") : "policy.h";
}

std::pair<std::string, std::string> link(Choices& From, llvm::StringRef Input) {
  static constexpr const char* Targets[] = {"../elsewhere", "../elsewhere/file", "..", "nowhere", "../../../x", "."};
  const llvm::StringRef Folder = llvm::sys::path::parent_path(Input);
  llvm::SmallString<64> Header(Input);
  llvm::sys::path::replace_extension(Header, ".graphed.h");
  switch (From.below(8)) {
    case 6:
      return {Header.str().str(), From.of(Targets)};
    case 7:
      return {Folder.empty() ? Header.str().str() : Folder.str(), From.of(Targets)};
    default:
      return {};
  }
}

std::vector<std::string> flags(Choices& From) {
  std::vector<std::string> Flags = {"-I" GRAPHED_STAND_IN, "-I" GRAPHED_INCLUDE, From.oneIn(3) ? "-std=c++20" : "-std=c++17"};
  if (From.oneIn(8)) {
    Flags.push_back("-trigraphs");
  }
  return Flags;
}

}  // namespace

Program programOf(llvm::StringRef Bytes) {
  llvm::SmallVector<llvm::StringRef, MostLines> Lines;
  Bytes.split(Lines, '\n', MostLines);
  Choices From(Lines.front());

  Program Result;
  Result.Given.What = From.of(Modes);
  const bool HasDocument =
      Result.Given.What == Mode::Write || Result.Given.What == Mode::Check || Result.Given.What == Mode::CheckDefinitions;
  Result.Given.Format = HasDocument ? From.of(Formats) : Format::Clang;
  const std::string Name = Result.Given.What == Mode::CheckDefinitions ? "policy.cpp" : inputName(From);
  Result.Given.Files = {Name};
  Result.Given.Flags = flags(From);
  Result.Link = link(From, Name);
  const bool IsHeader = !llvm::StringRef(Name).ends_with(".cpp");

  std::string Text = Prologue;
  std::string Source = "#include \"policy.h\"\n";
  for (unsigned Number = 1; Number < Lines.size(); ++Number) {
    const Choices Line(Lines[Number]);
    if (Result.Given.What == Mode::CheckDefinitions) {
      const Split Both = annotatedElsewhere(Line, Number);
      Text += Both.Header;
      Source += Both.Source;
    } else {
      Text += declaration(Line, Number, IsHeader);
    }
  }
  if (Result.Given.What == Mode::CheckDefinitions) {
    Result.Files = {{"policy.h", "#pragma once\n" + Text}, {Name, Source}};
  } else {
    Result.Files = {{Name, (IsHeader ? "#pragma once\n" : "") + Text}};
  }
  return Result;
}

}  // namespace graphgen::fuzz
