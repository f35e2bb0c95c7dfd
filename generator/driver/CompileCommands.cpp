// SPDX-License-Identifier: Apache-2.0
//
// Reads compile_commands.json.
#include "driver/CompileCommands.h"

#include "driver/Flags.h"
#include "driver/Input.h"
#include "driver/NvccFlags.h"

#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/JSONCompilationDatabase.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace graphgen::driver {
namespace {

namespace path = llvm::sys::path;
namespace tooling = clang::tooling;

constexpr llvm::StringLiteral DatabaseName = "compile_commands.json";
constexpr llvm::StringLiteral Remedy = "give '-p <build>', the folder of one, or the flags after '--'";

}  // namespace

CompileCommands::CompileCommands(const Options& Given) : Given(Given) {}
CompileCommands::~CompileCommands() = default;

llvm::Expected<CompileCommand> CompileCommands::find(llvm::StringRef File, llvm::StringRef Generated) {
  if (Given.Flags) {
    return CompileCommand{currentFolder(), scanFlags(*Given.Flags), {}};
  }
  const std::string Path = databaseFor(File);
  if (Path.empty()) {
    return CompileCommand{currentFolder(),
                          {},
                          "the file is read without flags, because no compile_commands.json is in the folders above it: " + Remedy.str()};
  }
  llvm::Expected<const Database*> Found = load(Path);
  if (!Found) {
    return Found.takeError();
  }
  const Database& Known = **Found;
  const bool ByGenerated = !Known.Files.contains(File) && Known.Files.contains(Generated);
  const std::vector<tooling::CompileCommand> Commands = Known.Entries->getCompileCommands(ByGenerated ? Generated : File);
  if (Commands.empty()) {
    return CompileCommand{currentFolder(), {}, "the file is read without flags, because '" + Path + "' has no commands: " + Remedy.str()};
  }
  const std::vector<std::string>& Line = Commands.front().CommandLine;
  if (Line.empty()) {
    return llvm::createStringError("'" + Path + "' has an empty command for '" + File + "'");
  }
  std::vector<std::string> Flags = targetFlags(Line);
  llvm::append_range(
      Flags, scanFlags(nvccOf(Line).empty() ? std::vector(Line.begin() + 1, Line.end()) : flagsOfNvcc(Line, Commands.front().Directory)));
  return CompileCommand{Commands.front().Directory, std::move(Flags), {}};
}

std::string CompileCommands::databaseFor(llvm::StringRef File) const {
  llvm::SmallString<256> Path;
  if (!Given.BuildDir.empty()) {
    path::append(Path, Given.BuildDir, DatabaseName);
    return Path.str().str();
  }
  for (llvm::StringRef Folder = path::parent_path(File); !Folder.empty(); Folder = path::parent_path(Folder)) {
    Path = Folder;
    path::append(Path, DatabaseName);
    if (llvm::sys::fs::exists(Path)) {
      return Path.str().str();
    }
  }
  return {};
}

llvm::Expected<const CompileCommands::Database*> CompileCommands::load(const std::string& Path) {
  const auto [Known, IsNew] = Loaded.try_emplace(Path);
  Database& Result = Known->second;
  if (!IsNew) {
    return &Result;
  }
  std::string Problem;
  std::unique_ptr<tooling::CompilationDatabase> Entries =
      tooling::JSONCompilationDatabase::loadFromFile(Path, Problem, tooling::JSONCommandLineSyntax::AutoDetect);
  if (!Entries) {
    Loaded.erase(Known);
    return llvm::createStringError("cannot read " + Path + ": " + Problem);
  }
  for (const std::string& File : Entries->getAllFiles()) {
    Result.Files.insert(File);
  }
  Result.Entries = tooling::inferMissingCompileCommands(tooling::expandResponseFiles(std::move(Entries), llvm::vfs::getRealFileSystem()));
  return &Result;
}

}  // namespace graphgen::driver
