// SPDX-License-Identifier: Apache-2.0
//
// A file system that answers for <stem>.graphed.h from what it is generated from.
#include "scan/GeneratedHeaders.h"

#include "scan/Extensions.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <optional>

namespace graphgen::scan {
namespace {

constexpr llvm::StringLiteral Ending = ".graphed.h";
constexpr llvm::StringLiteral IncludeCallable = "#if __has_include(<graphed/callable.h>)\n#include <graphed/callable.h>\n#endif\n";

class View : public llvm::vfs::ProxyFileSystem {
 public:
  View(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Base, GeneratedFrom Folders)
      : ProxyFileSystem(std::move(Base)),
        Folders(std::move(Folders)),
        StandIns(llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>()) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& Path) override {
    if (!isGeneratedHeader(Path.str())) {
      return ProxyFileSystem::status(Path);
    }
    const std::string Full = standIn(Path);
    return Full.empty() ? missing() : StandIns->status(Full);
  }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& Path) override {
    if (!isGeneratedHeader(Path.str())) {
      return ProxyFileSystem::openFileForRead(Path);
    }
    const std::string Full = standIn(Path);
    if (Full.empty()) {
      return missing();
    }
    return StandIns->openFileForRead(Full);
  }

  bool exists(const llvm::Twine& Path) override {
    return isGeneratedHeader(Path.str()) ? !standIn(Path).empty() : ProxyFileSystem::exists(Path);
  }

 private:
  static std::error_code missing() { return std::make_error_code(std::errc::no_such_file_or_directory); }

  /// The path of the stand-in, made on the first request; empty where there is nothing to put beside.
  std::string standIn(const llvm::Twine& Path) {
    llvm::SmallString<256> Full;
    Path.toVector(Full);
    makeAbsolute(Full);
    llvm::sys::path::remove_dots(Full, /*remove_dot_dot=*/true);
    const llvm::StringRef Stem = Full.str().drop_back(Ending.size());
    std::optional<std::string> Text = standInText(Stem);
    llvm::StringRef Below = Stem;
    if (!Text && Below.consume_front(Folders.Outputs + "/")) {
      Text = standInText(Folders.Inputs + "/" + Below.str());
    }
    if (!Text) {
      return {};
    }
    StandIns->addFile(Full, /*ModificationTime=*/0, llvm::MemoryBuffer::getMemBufferCopy(*Text, Full));
    return Full.str().str();
  }

  std::optional<std::string> standInText(const llvm::Twine& Stem) {
    for (const llvm::StringRef Header : headerExtensions()) {
      if (ProxyFileSystem::exists(Stem + Header)) {
        return ("#include \"" + Stem + Header + "\"\n" + IncludeCallable).str();
      }
    }
    for (const llvm::StringRef Source : sourceExtensions()) {
      if (ProxyFileSystem::exists(Stem + Source)) {
        return IncludeCallable.str();
      }
    }
    return std::nullopt;
  }

  GeneratedFrom Folders;
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> StandIns;
};

class Skipper : public clang::PPCallbacks {
 public:
  bool FileNotFound(llvm::StringRef File) override { return isGeneratedHeader(File); }
};

}  // namespace

bool isGeneratedHeader(llvm::StringRef Path) { return Path.ends_with(Ending); }

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> hideGeneratedHeaders(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Base,
                                                                     GeneratedFrom Folders) {
  return llvm::makeIntrusiveRefCnt<View>(std::move(Base), std::move(Folders));
}

std::unique_ptr<clang::PPCallbacks> skipMissingGeneratedHeaders() { return std::make_unique<Skipper>(); }

}  // namespace graphgen::scan
