// SPDX-License-Identifier: Apache-2.0
//
// The binary is put in its place first, the manifest last: what has no manifest is not there. Files are only ever replaced as a whole, and
// a reader checks what it reads, so that only who makes a header takes a lock.
#include "driver/HeaderCache.h"

#include "emit/WriteFile.h"
#include "plan/Version.h"
#include "scan/Digest.h"

#include "clang/Basic/Version.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Duration.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <chrono>

namespace graphgen::driver {

struct HeaderCache::Wanted {
  const scan::FrontEnd& Compiler;
  llvm::StringRef Root;
  std::string Key;  // of what the header's text does not show
};

namespace {

namespace fs = llvm::sys::fs;

constexpr const char* NotWritable = "the folder of precompiled headers cannot be written to";

std::string keyOf(llvm::ArrayRef<std::string> Flags) {
  std::string All = "graphgen " + plan::versionText() + '\0' + clang::getClangFullVersion() + '\0';
  for (const std::string& Flag : Flags) {
    All += Flag + '\0';
  }
  return scan::digestOf(All);
}

std::string manifestOf(const std::string& Stem) { return Stem + ".manifest"; }
std::string binaryOf(const std::string& Stem) { return Stem + ".pch"; }

bool write(const std::string& Path, const Manifest& Made) { return !errorToBool(emit::writeIfChanged(Path, Made.text())); }

}  // namespace

const scan::PrecompiledHeader* HeaderCache::find(const scan::FrontEnd& Compiler, llvm::StringRef Root, bool& IsNew, std::string& Why) {
  const std::optional<std::vector<std::string>> Flags = scan::precompileFlags(Compiler, Root);
  if (!Flags) {
    Why = "its flags name modules or a precompiled header";
    return nullptr;
  }
  const Wanted What{Compiler, Root, keyOf(*Flags)};
  const auto [Begin, End] = Known.equal_range(What.Key);
  auto Found = std::find_if(Begin, End, [&](const auto& Each) { return scan::suits(Each.second.Header, Compiler); });
  if (Found == End) {
    if (!Folder.exists()) {
      Why = "there is no folder to keep precompiled headers in";
      return nullptr;
    }
    std::optional<Manifest> Loaded = load(What);
    if (!Loaded) {
      Loaded = make(What, IsNew, Why);
    }
    if (!Loaded) {
      return nullptr;
    }
    Found = Known.emplace(What.Key, std::move(*Loaded));
  }
  const scan::PrecompiledHeader& Header = Found->second.Header;
  if (Header.Path.empty()) {
    Why = "LibTorch's headers cannot be precompiled with its flags";
    return nullptr;
  }
  return &Header;
}

std::optional<Manifest> HeaderCache::load(const Wanted& What) const {
  for (const std::string& Stem : Folder.stems(What.Key + "-")) {
    const std::string Path = Folder.path(manifestOf(Stem));
    const auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    std::optional<Manifest> Read = Text ? Manifest::read((*Text)->getBuffer(), Folder.path(binaryOf(Stem))) : std::nullopt;
    bool IsRenewed = false;
    if (Read && scan::suits(Read->Header, What.Compiler) && Read->holds(IsRenewed)) {
      if (!IsRenewed || !write(Path, *Read)) {
        utimensat(AT_FDCWD, Path.c_str(), /*times=*/nullptr, /*flags=*/0);  // it was used last
      }
      return Read;
    }
  }
  return std::nullopt;
}

std::optional<Manifest> HeaderCache::make(const Wanted& What, bool& IsNew, std::string& Why) const {
  constexpr std::chrono::minutes MostWait{5};
  constexpr size_t LockNameLength = 2;  // so that there are few files
  std::error_code Error;
  llvm::raw_fd_ostream LockFile(Folder.path("lock-" + What.Key.substr(0, LockNameLength)), Error, fs::CD_OpenAlways);
  llvm::Expected<fs::FileLocker> Lock = Error ? llvm::errorCodeToError(Error) : LockFile.tryLockFor(llvm::Duration(MostWait));
  if (!Lock) {
    consumeError(Lock.takeError());
    Why = NotWritable;
    return std::nullopt;
  }
  // Another process may have made it meanwhile.
  if (std::optional<Manifest> Loaded = load(What)) {
    return Loaded;
  }
  constexpr uint64_t Needed = uint64_t{256} << 20;  // twice what LibTorch's headers take
  if (!Folder.hasRoom(Needed)) {
    Why = "the folder of precompiled headers has less than 256 MiB free";
    return std::nullopt;
  }
  if (Tells) {
    llvm::errs() << "graphgen: precompiling LibTorch's headers, once for these flags\n";
  }
  IsNew = true;
  const std::string Unfinished = Folder.path(What.Key + "-.new" + std::to_string(llvm::sys::Process::getProcessId()));
  const llvm::scope_exit Remove([&] { fs::remove(Unfinished); });
  std::optional<scan::PrecompiledHeader> Made = scan::precompile(What.Compiler, What.Root, Unfinished);
  if (!Made) {
    Why = NotWritable;
    return std::nullopt;
  }
  return keep(What, std::move(*Made), Why);
}

std::optional<Manifest> HeaderCache::keep(const Wanted& What, scan::PrecompiledHeader Made, std::string& Why) const {
  std::optional<Manifest> Kept = Manifest::of(std::move(Made));
  if (!Kept) {
    Why = "LibTorch's headers changed while they were compiled";
    return std::nullopt;
  }
  const std::string Stem = What.Key + "-" + Kept->contentKey();
  const bool HasBinary = !Kept->Header.Path.empty();
  if ((HasBinary && !Kept->moveBinary(Folder.path(binaryOf(Stem)))) || !write(Folder.path(manifestOf(Stem)), *Kept)) {
    Why = NotWritable;
    return std::nullopt;
  }
  Folder.shrink(Stem);
  return Kept;
}

}  // namespace graphgen::driver
