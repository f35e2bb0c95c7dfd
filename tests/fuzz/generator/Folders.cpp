// SPDX-License-Identifier: Apache-2.0
//
// In memory where /dev/shm is one.
#include "Folders.h"

#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace graphgen::fuzz {
namespace {

namespace fs = std::filesystem;

bool write(const fs::path& File, const std::string& Content) {
  std::error_code Failed;
  fs::create_directories(fs::absolute(File).parent_path(), Failed);
  std::ofstream Out(File, std::ios::binary);
  Out << Content;
  return !Failed && Out.good();
}

}  // namespace

std::string contentOf(const std::string& File) {
  std::ifstream In(File, std::ios::binary);
  return {std::istreambuf_iterator<char>(In), {}};
}

Folders::Folders() {
  const char* Given = std::getenv("TMPDIR");
  std::string Pattern = std::string(Given ? Given : fs::is_directory("/dev/shm") ? "/dev/shm" : "/tmp") + "/fuzz_graphgen.XXXXXX";
  if (!mkdtemp(Pattern.data())) {
    std::perror(Pattern.c_str());
    std::exit(1);
  }
  Root = Pattern;
}

Folders::~Folders() {
  std::error_code Ignored;
  fs::current_path("/", Ignored);
  fs::remove_all(Root, Ignored);
}

bool Folders::prepare(const Program& P) const {
  const fs::path Run = Root + "/run";
  fs::remove_all(Run);
  fs::create_directories(Run / "in" / OutDir);
  fs::current_path(Run / "in");
  if (!write("elsewhere/file", "untouched")) {
    return false;
  }
  std::error_code Failed;
  if (!P.Link.first.empty()) {
    const fs::path Link = fs::path(OutDir) / P.Link.first;
    fs::create_directories(Link.parent_path(), Failed);
    fs::create_symlink(P.Link.second, Link, Failed);
  }
  for (const auto& [Name, Content] : P.Files) {
    if (Failed || !write(Name, Content)) {
      return false;
    }
  }
  return true;
}

Contents Folders::outputs() const {
  Contents Found;
  const fs::path OutFolder = Root + "/run/in/" + OutDir;
  for (const fs::directory_entry& Each : fs::recursive_directory_iterator(OutFolder)) {
    if (!Each.is_symlink() && Each.is_regular_file()) {
      Found[Each.path().lexically_relative(OutFolder)] = contentOf(Each.path());
    }
  }
  return Found;
}

Contents Folders::others() const {
  Contents Found;
  for (auto Each = fs::recursive_directory_iterator(Root); Each != fs::recursive_directory_iterator(); ++Each) {
    const std::string Name = Each->path().lexically_relative(Root);
    if (Name == "cache" || Name == "run/in/out") {
      Each.disable_recursion_pending();
    } else if (Name != std::string("run/in/") + Depfile) {
      Found[Name] = Each->is_symlink() ? fs::read_symlink(*Each).string() : Each->is_regular_file() ? contentOf(Each->path()) : "";
    }
  }
  return Found;
}

}  // namespace graphgen::fuzz
