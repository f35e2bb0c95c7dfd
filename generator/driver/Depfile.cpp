// SPDX-License-Identifier: Apache-2.0
//
// Paths are escaped as GCC does, which Make and Ninja both read.
#include "driver/Depfile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {
namespace {

std::string escaped(llvm::StringRef Path) {
  std::string Text;
  for (const char C : Path) {
    if (C == ' ' || C == '#') {
      Text += '\\';
    }
    if (C == '$') {
      Text += '$';
    }
    Text += C;
  }
  return Text;
}

/// Clang finds GCC's headers through "/../lib/...", which build systems shorten as text and miss where /lib is a link.
std::string withoutDots(const std::string& Path) {
  llvm::SmallString<256> Real;
  if (llvm::StringRef(Path).contains("/../") && !llvm::sys::fs::real_path(Path, Real)) {
    return Real.str().str();
  }
  return Path;
}

/// To Make a ';' begins a recipe, and `x != y` runs y. There is no spelling of these that Ninja reads as well.
bool isCommand(llvm::StringRef Path) { return Path.find_first_of("\n\r;") != llvm::StringRef::npos || Path.contains("!="); }

llvm::Error refuse(llvm::StringRef Depfile, llvm::StringRef Dependency) {
  std::string Printable;
  llvm::raw_string_ostream Out(Printable);
  llvm::printEscapedString(Dependency, Out);
  return llvm::createStringError("cannot write '" + Depfile + "': the path '" + Printable +
                                 "', which was read, holds a line break, ';' or '!='");
}

}  // namespace

llvm::Expected<std::string> depfileText(llvm::StringRef Path, const std::set<std::string>& Dependencies) {
  llvm::StringRef Target = Path;
  if (llvm::sys::path::filename(Path) != ".d") {
    Target.consume_back(".d");
  }
  std::string Text = escaped(Target) + ":";
  for (const std::string& Dependency : Dependencies) {
    const std::string Name = withoutDots(Dependency);
    if (isCommand(Name)) {
      return refuse(Path, Name);
    }
    Text += " \\\n  " + escaped(Name);
  }
  return Text + "\n";
}

}  // namespace graphgen::driver
