// SPDX-License-Identifier: Apache-2.0
//
// Of nvcc's options those are taken that are known to matter: the others are about code for the GPU, and Clang has no such options.
#include "driver/NvccFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

#include <optional>

namespace graphgen::driver {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

constexpr llvm::StringLiteral ToolkitFlag = "--cuda-path=";
constexpr llvm::StringLiteral UsualToolkit = "/usr/local/cuda";

struct Name {
  llvm::StringRef Short;
  llvm::StringRef Long;
  llvm::StringRef OfClang;
};
constexpr Name Taken[] = {
    {"-D", "--define-macro", "-D"},
    {"-U", "--undefine-macro", "-U"},
    {"-I", "--include-path", "-I"},
    {"-std", "--std", "-std="},
    {"-isystem", "--system-include", "-isystem"},
    {"-include", "--pre-include", "-include"},
};
constexpr Name ForHost{"-Xcompiler", "--compiler-options", ""};
constexpr Name OptionsFile{"-optf", "--options-file", ""};

class Translation {
 public:
  explicit Translation(llvm::StringRef Folder) : Folder(Folder) {}

  void add(llvm::ArrayRef<std::string> CommandLine) {
    for (Words = CommandLine; !Words.empty(); Words = Words.drop_front()) {
      addOne();
    }
  }

  std::vector<std::string> Flags;

 private:
  void addOne() {
    if (const std::optional<llvm::StringRef> List = valueOf(ForHost)) {
      for (const llvm::StringRef Each : llvm::split(*List, ',')) {
        Flags.push_back(Each.str());
      }
    } else if (const std::optional<llvm::StringRef> File = valueOf(OptionsFile)) {
      addFile(*File);
    } else if (llvm::StringRef(Words.front()).starts_with("-f") || llvm::StringRef(Words.front()).starts_with("-m")) {
      Flags.push_back(Words.front());  // nvcc forwards what it does not know
    } else {
      addTaken();
    }
  }

  void addTaken() {
    for (const Name& Each : Taken) {
      if (const std::optional<llvm::StringRef> Value = valueOf(Each)) {
        Flags.push_back(Each.OfClang.str());
        if (Each.OfClang.size() > 2 && !Each.OfClang.ends_with("=")) {
          Flags.emplace_back();
        }
        Flags.back() += *Value;
        return;
      }
    }
  }

  /// Of the option at hand, `--name=value`, `--name value` or `-Nvalue`; a value that is a word of its own is passed.
  std::optional<llvm::StringRef> valueOf(const Name& Option) {
    const llvm::StringRef Word = Words.front();
    for (const llvm::StringRef Each : {Option.Short, Option.Long}) {
      llvm::StringRef Rest = Word;
      if (!Rest.consume_front(Each)) {
        continue;
      }
      const bool IsJoined = Each.size() == 2 && !Rest.empty();
      if (Rest.consume_front("=") || IsJoined) {
        return Rest;
      }
      if (Rest.empty() && Words.size() > 1) {
        Words = Words.drop_front();
        return llvm::StringRef(Words.front());
      }
    }
    return std::nullopt;
  }

  void addFile(llvm::StringRef Given) {
    llvm::SmallString<256> Path(Given);
    path::make_absolute(Folder, Path);
    const auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/true);
    if (!Text) {
      return;
    }
    llvm::BumpPtrAllocator Memory;
    llvm::StringSaver Saver(Memory);
    llvm::SmallVector<const char*> Read;
    llvm::cl::TokenizeGNUCommandLine((*Text)->getBuffer(), Saver, Read);
    Translation OfFile(Folder);
    OfFile.add(std::vector<std::string>(Read.begin(), Read.end()));
    llvm::append_range(Flags, OfFile.Flags);
  }

  llvm::StringRef Folder;
  llvm::ArrayRef<std::string> Words;  // from the current one on
};

/// The folder that holds nvcc's bin.
std::string toolkitOf(llvm::StringRef Nvcc) {
  llvm::SmallString<256> Real;
  if (!path::has_parent_path(Nvcc) || fs::real_path(Nvcc, Real)) {
    return {};
  }
  return path::parent_path(path::parent_path(Real)).str();
}

}  // namespace

llvm::StringRef nvccOf(llvm::ArrayRef<std::string> CommandLine) {
  const auto Program = llvm::find_if(CommandLine, [](llvm::StringRef Word) { return Word.starts_with("-") || path::stem(Word) == "nvcc"; });
  return Program == CommandLine.end() || llvm::StringRef(*Program).starts_with("-") ? llvm::StringRef() : llvm::StringRef(*Program);
}

std::vector<std::string> flagsOfNvcc(llvm::ArrayRef<std::string> CommandLine, llvm::StringRef Folder) {
  Translation Result(Folder);
  Result.add(CommandLine);
  if (const std::string Toolkit = toolkitOf(nvccOf(CommandLine)); !Toolkit.empty()) {
    Result.Flags.push_back((ToolkitFlag + Toolkit).str());
  }
  return std::move(Result.Flags);
}

std::vector<std::string> flagsOfHostCode(llvm::ArrayRef<std::string> Flags) {
  llvm::StringRef Toolkit = UsualToolkit;
  for (const llvm::StringRef Each : Flags) {
    if (Each.starts_with(ToolkitFlag)) {
      Toolkit = Each.drop_front(ToolkitFlag.size());
    }
  }
  // nvcc finds CCCL's headers by itself, whatever its release is.
  return {"--cuda-host-only",          "-nocudalib", "--no-cuda-version-check",
          "-Wno-unknown-cuda-version", "-isystem",   (Toolkit + "/include/cccl").str()};
}

}  // namespace graphgen::driver
