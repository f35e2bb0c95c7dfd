// SPDX-License-Identifier: Apache-2.0
//
// The binary is written first, the manifest last: what has no manifest is not there.
#include "driver/HeaderCache.h"

#include "plan/Version.h"
#include "scan/Digest.h"

#include "clang/Basic/Version.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {
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

bool write(const std::string& Path, llvm::StringRef Text) {
  const std::string Unfinished = Path + UnfinishedEnding.str() + std::to_string(llvm::sys::Process::getProcessId());
  std::error_code Error;
  llvm::raw_fd_ostream Stream(Unfinished, Error);
  if (Error) {
    return false;
  }
  Stream << Text;
  Stream.close();
  if (!Stream.has_error() && !fs::rename(Unfinished, Path)) {
    return true;
  }
  Stream.clear_error();
  fs::remove(Unfinished);
  return false;
}

}  // namespace

const scan::PrecompiledHeader* HeaderCache::find(llvm::ArrayRef<std::string> Flags, Suits Suits, Make Make, std::string& Why) {
  const std::string Key = keyOf(Flags);
  const auto [Begin, End] = Known.equal_range(Key);
  auto Found = std::find_if(Begin, End, [&](const auto& Each) { return Suits(Each.second.Header); });
  if (Found == End) {
    if (!Folder.exists()) {
      Why = "there is no folder to keep precompiled headers in";
      return nullptr;
    }
    std::optional<Manifest> Loaded = load(Key, Suits);
    if (!Loaded) {
      Loaded = make(Key, Suits, Make, Why);
    }
    if (!Loaded) {
      return nullptr;
    }
    Found = Known.emplace(Key, std::move(*Loaded));
  }
  const scan::PrecompiledHeader& Header = Found->second.Header;
  if (Header.Path.empty()) {
    Why = "LibTorch's headers cannot be precompiled with its flags";
    return nullptr;
  }
  return &Header;
}

std::optional<Manifest> HeaderCache::load(llvm::StringRef Key, Suits Suits) const {
  for (const std::string& Stem : Folder.stems((Key + "-").str())) {
    const std::string Path = Folder.path(Stem + ManifestEnding.str());
    const auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    std::optional<Manifest> Read = Text ? Manifest::read((*Text)->getBuffer(), Folder.path(Stem + BinaryEnding.str())) : std::nullopt;
    bool IsRenewed = false;
    if (Read && Suits(Read->Header) && Read->holds(IsRenewed)) {
      if (!IsRenewed || !write(Path, Read->text())) {
        Folder.touch(Stem);
      }
      return Read;
    }
  }
  return std::nullopt;
}

std::optional<Manifest> HeaderCache::make(llvm::StringRef Key, Suits Suits, Make Make, std::string& Why) const {
  const std::optional<CacheLock> Lock = CacheLock::take(Folder, Key);
  if (!Lock) {
    Why = NotWritable;
    return std::nullopt;
  }
  // Another process may have made it meanwhile.
  if (std::optional<Manifest> Loaded = load(Key, Suits)) {
    return Loaded;
  }
  constexpr uint64_t Needed = uint64_t{256} << 20;  // twice what LibTorch's headers take
  if (!Folder.hasRoom(Needed)) {
    Why = "the folder of precompiled headers has less than 256 MiB of room";
    return std::nullopt;
  }
  if (Tells) {
    llvm::errs() << "graphgen: precompiling LibTorch's headers, once for these flags\n";
  }
  const std::string Unfinished =
      Folder.path((Key + "-" + BinaryEnding + UnfinishedEnding).str()) + std::to_string(llvm::sys::Process::getProcessId());
  const llvm::scope_exit Remove([&] { fs::remove(Unfinished); });
  std::optional<scan::PrecompiledHeader> Made = Make(Unfinished);
  if (!Made) {
    Why = NotWritable;
    return std::nullopt;
  }
  return keep(Key, std::move(*Made), Why);
}

std::optional<Manifest> HeaderCache::keep(llvm::StringRef Key, scan::PrecompiledHeader Made, std::string& Why) const {
  std::optional<Manifest> Kept = Manifest::of(std::move(Made));
  if (!Kept) {
    Why = "LibTorch's headers changed while they were compiled";
    return std::nullopt;
  }
  Why = NotWritable;
  const std::string Stem = (Key + "-" + Kept->contentKey()).str();
  if (std::string& Path = Kept->Header.Path; !Path.empty()) {
    const std::string Final = Folder.path(Stem + BinaryEnding.str());
    Kept->Binary.Digest = digestOfFile(Path);
    if (Kept->Binary.Digest.empty() || fs::rename(Path, Final)) {
      return std::nullopt;
    }
    Path = Final;
    const std::optional<Stamp> Known = stampOf(Final);
    if (!Known) {
      return std::nullopt;
    }
    Kept->Binary.At = *Known;
  }
  if (!write(Folder.path(Stem + ManifestEnding.str()), Kept->text())) {
    return std::nullopt;
  }
  Folder.shrink(Stem);
  Why.clear();
  return Kept;
}

}  // namespace graphgen::driver
