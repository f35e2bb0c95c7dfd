// SPDX-License-Identifier: Apache-2.0
//
// A tool that is outside Clang's bin folder has to say where Clang's headers are.
#include "driver/ResourceDir.h"

#include "clang/Basic/Version.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <vector>

namespace graphgen::driver {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string beside(llvm::StringRef File, llvm::StringRef Up) {
  llvm::SmallString<256> Real;
  if (fs::real_path(File, Real)) {
    return {};
  }
  path::remove_filename(Real);
  path::append(Real, Up, "clang", CLANG_VERSION_MAJOR_STRING);
  path::remove_dots(Real, /*remove_dot_dot=*/true);
  return Real.str().str();
}

std::string besideLibrary() {
  Dl_info Library;
  if (!dladdr(reinterpret_cast<const void*>(&clang::getClangFullVersion), &Library) || !Library.dli_fname) {
    return {};
  }
  return beside(Library.dli_fname, "");
}

std::string besideProgram() { return beside(fs::getMainExecutable(nullptr, nullptr), "../lib"); }

bool holdsHeaders(llvm::StringRef Folder) {
  llvm::SmallString<256> Header(Folder);
  path::append(Header, "include", "stddef.h");
  return !Folder.empty() && fs::exists(Header);
}

}  // namespace

llvm::Expected<std::string> findResourceDir() {
  const std::vector<std::string> Candidates = {besideProgram(), besideLibrary(), GRAPHGEN_RESOURCE_DIR};
  std::string Looked;
  for (const std::string& Folder : Candidates) {
    if (holdsHeaders(Folder)) {
      return Folder;
    }
    Looked += "\n  " + Folder;
  }
  return llvm::createStringError("cannot find Clang " CLANG_VERSION_MAJOR_STRING "'s own headers; looked in" + Looked +
                                 "\ninstall the package clang-" CLANG_VERSION_MAJOR_STRING);
}

}  // namespace graphgen::driver
