// SPDX-License-Identifier: Apache-2.0
//
// Which flags a file is compiled with.
#pragma once

#include "driver/Options.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang::tooling {
class CompilationDatabase;
}

namespace graphgen::driver {

struct CompileCommand {
  std::string Directory;  // that relative paths in the flags start from
  std::vector<std::string> Flags;
  std::string WhyNoFlags;  // and what to do; empty where there are some
};

class CompileCommands {
 public:
  explicit CompileCommands(const Options& Given);
  ~CompileCommands();

  /// For the absolute path `File`, or for a header the source `Generated`, into which its glue is generated. They are the fixed flags, else
  /// the entry of one of them, else that of the source whose path is nearest. No flags where there is no compile_commands.json.
  llvm::Expected<CompileCommand> find(llvm::StringRef File, llvm::StringRef Generated);

 private:
  struct Database {
    std::unique_ptr<clang::tooling::CompilationDatabase> Entries;
    llvm::StringSet<> Files;
  };

  llvm::Expected<const Database*> load(const std::string& Path);
  std::string databaseFor(llvm::StringRef File) const;

  const Options& Given;
  std::map<std::string, Database> Loaded;
};

}  // namespace graphgen::driver
