// SPDX-License-Identifier: Apache-2.0
//
// The folders of a run.
#pragma once

#include "Program.h"

#include <map>
#include <string>

namespace graphgen::fuzz {

/// Path -> content, or where a symbolic link leads.
using Contents = std::map<std::string, std::string>;

/// Empty where there is no such file.
std::string contentOf(const std::string& File);

/// A temporary folder, removed at the end of the process, with the folders of one run after another.
class Folders {
 public:
  Folders();
  ~Folders();
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;

  static constexpr const char* OutDir = "out";
  static constexpr const char* Depfile = "read.stamp.d";

  std::string cache() const { return Root + "/cache"; }

  /// Removes what the last run had, writes the program's files and link, and enters the folder. False for a program that a file system
  /// cannot hold.
  bool prepare(const Program& P) const;

  /// What is below the output folder.
  Contents outputs() const;

  /// What is stored anywhere else, the cache and the depfile excepted.
  Contents others() const;

 private:
  std::string Root;
};

}  // namespace graphgen::fuzz
