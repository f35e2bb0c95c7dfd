// SPDX-License-Identifier: Apache-2.0
//
// Paths are escaped as GCC does, which Make and Ninja both read.
#include "driver/Depfile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

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

}  // namespace

std::string depfileText(llvm::StringRef Path, const std::set<std::string>& Dependencies) {
  llvm::StringRef Target = Path;
  Target.consume_back(".d");
  std::string Text = escaped(Target) + ":";
  for (const std::string& Dependency : Dependencies) {
    Text += " \\\n  " + escaped(withoutDots(Dependency));
  }
  return Text + "\n";
}

}  // namespace graphgen::driver
