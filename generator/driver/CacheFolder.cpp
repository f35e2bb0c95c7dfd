// SPDX-License-Identifier: Apache-2.0
//
// Files of the folder are only ever replaced as a whole, and a reader checks what it reads: no lock is needed for reading.
#include "driver/CacheFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <map>

namespace graphgen::driver {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

using llvm::sys::Process;

/// A stem's files, or one that a process left unfinished.
struct Kept {
  std::vector<std::string> Files;
  uint64_t Bytes = 0;
  llvm::sys::TimePoint<> Used;
};

template <class Visitor>
void eachFile(const std::string& Folder, Visitor Visit) {
  std::error_code Error;
  for (fs::directory_iterator Each(Folder, Error, /*follow_symlinks=*/false), End; !Error && Each != End; Each.increment(Error)) {
    const llvm::ErrorOr<fs::basic_file_status> Status = Each->status();
    if (Status && Status->type() == fs::file_type::regular_file) {
      Visit(Each->path(), *Status);
    }
  }
}

/// Two keys and a dash, in hexadecimal digits.
bool isStem(llvm::StringRef Name) {
  return Name.contains('-') && llvm::all_of(Name, [](char C) { return llvm::isHexDigit(C) || C == '-'; });
}

std::map<std::string, Kept> keptIn(const std::string& Folder) {
  std::map<std::string, Kept> Found;
  eachFile(Folder, [&](const std::string& Path, const fs::basic_file_status& Status) {
    const auto [Stem, Ending] = path::filename(Path).split('.');
    if (!isStem(Stem)) {
      return;
    }
    const bool IsFinished = "." + Ending.str() == ManifestEnding || "." + Ending.str() == BinaryEnding;
    Kept& Entry = Found[IsFinished ? Stem.str() : path::filename(Path).str()];
    Entry.Files.push_back(Path);
    Entry.Bytes += Status.getSize();
    Entry.Used = std::max(Entry.Used, Status.getLastModificationTime());
  });
  return Found;
}

}  // namespace

CacheFolder::CacheFolder(llvm::StringRef Folder, uint64_t Limit) : Limit(Limit) {
  llvm::SmallString<256> Path(Folder);
  if (!Path.empty()) {
    fs::make_absolute(Path);
    path::append(Path, "user-" + std::to_string(geteuid()));
  }
  Own = Path.str().str();
}

std::string CacheFolder::usual() {
  const auto Named = [](const char* Variable) {
    const std::optional<std::string> Value = Process::GetEnv(Variable);
    return Value && path::is_absolute(*Value) ? *Value : std::string();
  };
  if (std::string Given = Named("GRAPHGEN_CACHE"); !Given.empty()) {
    return Given;
  }
  llvm::SmallString<256> Path(Named("XDG_CACHE_HOME"));
  if (Path.empty()) {
    Path = Named("HOME");
    if (Path.empty()) {
      return {};
    }
    path::append(Path, ".cache");
  }
  path::append(Path, "graphgen");
  return Path.str().str();
}

bool CacheFolder::exists() const {
  if (Own.empty()) {
    return false;
  }
  fs::create_directories(path::parent_path(Own));
  fs::create_directory(Own, /*IgnoreExisting=*/true, fs::owner_all);
  fs::file_status Status;
  return !fs::status(Own, Status, /*Follow=*/false) && Status.type() == fs::file_type::directory_file && Status.getUser() == geteuid() &&
         (Status.permissions() & (fs::group_write | fs::others_write)) == 0;
}

bool CacheFolder::hasRoom(uint64_t Bytes) const {
  const llvm::ErrorOr<fs::space_info> Space = fs::disk_space(Own);
  if (Space && Space->available < Bytes) {
    return false;
  }
  const std::string Probe = path(("room" + UnfinishedEnding).str() + std::to_string(Process::getProcessId()));
  int File = -1;
  if (fs::openFileForWrite(Probe, File)) {
    return false;
  }
  fs::remove(Probe);
  const bool IsReserved = fallocate(File, /*mode=*/0, /*offset=*/0, static_cast<off_t>(Bytes)) == 0;
  const bool IsRefused = !IsReserved && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG);  // others know no reserving
  Process::SafelyCloseFileDescriptor(File);
  return !IsRefused;
}

std::string CacheFolder::path(llvm::StringRef Name) const { return (Own + "/" + Name).str(); }

std::vector<std::string> CacheFolder::stems(llvm::StringRef Prefix) const {
  std::vector<std::pair<llvm::sys::TimePoint<>, std::string>> Found;
  eachFile(Own, [&](const std::string& Path, const fs::basic_file_status& Status) {
    llvm::StringRef Name = path::filename(Path);
    if (Name.consume_back(ManifestEnding) && Name.starts_with(Prefix) && isStem(Name)) {
      Found.emplace_back(Status.getLastModificationTime(), Name.str());
    }
  });
  llvm::sort(Found, std::greater<>());
  std::vector<std::string> Result;
  llvm::append_range(Result, llvm::make_second_range(Found));
  return Result;
}

void CacheFolder::touch(llvm::StringRef Stem) const {
  int File = -1;
  if (!fs::openFileForReadWrite(path((Stem + ManifestEnding).str()), File, fs::CD_OpenExisting, fs::OF_None)) {
    fs::setLastAccessAndModificationTime(File, std::chrono::system_clock::now());
    Process::SafelyCloseFileDescriptor(File);
  }
}

void CacheFolder::shrink(llvm::StringRef Stem) const {
  const auto LongAgo = std::chrono::system_clock::now() - std::chrono::hours(1);
  std::vector<Kept> Oldest;
  uint64_t Total = 0;
  for (auto& [Name, Entry] : keptIn(Own)) {
    Total += Entry.Bytes;
    const bool IsUnfinished = llvm::StringRef(Name).contains('.');
    if (Name != Stem && (!IsUnfinished || Entry.Used < LongAgo)) {
      Oldest.push_back(std::move(Entry));
    }
  }
  llvm::sort(Oldest, [](const Kept& A, const Kept& B) { return A.Used < B.Used; });
  for (const Kept& Entry : Oldest) {
    if (Total <= Limit) {
      return;
    }
    for (const std::string& File : Entry.Files) {
      fs::remove(File);
    }
    Total -= Entry.Bytes;
  }
}

std::optional<CacheLock> CacheLock::take(const CacheFolder& Folder, llvm::StringRef Key) {
  constexpr std::chrono::minutes MostWait{5};
  constexpr size_t LockNameLength = 2;  // so that there are few files
  int File = -1;
  const std::string Path = Folder.path(("lock-" + Key.take_front(LockNameLength)).str());
  if (fs::openFileForReadWrite(Path, File, fs::CD_OpenAlways, fs::OF_None)) {
    return std::nullopt;
  }
  CacheLock Lock(File);
  if (fs::tryLockFile(File, MostWait)) {
    return std::nullopt;
  }
  return Lock;
}

CacheLock::~CacheLock() {
  if (File >= 0) {
    fs::unlockFile(File);
    Process::SafelyCloseFileDescriptor(File);
  }
}

}  // namespace graphgen::driver
