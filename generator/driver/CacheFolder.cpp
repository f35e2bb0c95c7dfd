// SPDX-License-Identifier: Apache-2.0
//
// A stem was used when the last of its files was written, or touched.
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

struct Kept {
  std::string Stem;
  std::vector<std::string> Files;
  uint64_t Bytes = 0;
  llvm::sys::TimePoint<> Used;
};

bool isStem(llvm::StringRef Name) {
  return Name.contains('-') && llvm::all_of(Name, [](char C) { return llvm::isHexDigit(C) || C == '-'; });
}

/// The last used first.
std::vector<Kept> keptIn(const std::string& Folder) {
  std::map<std::string, Kept> Found;
  std::error_code Error;
  for (fs::directory_iterator Each(Folder, Error, /*follow_symlinks=*/false), End; !Error && Each != End; Each.increment(Error)) {
    const llvm::StringRef Stem = path::filename(Each->path()).split('.').first;
    const llvm::ErrorOr<fs::basic_file_status> Status = Each->status();
    if (!isStem(Stem) || !Status || Status->type() != fs::file_type::regular_file) {
      continue;
    }
    Kept& Entry = Found[Stem.str()];
    Entry.Stem = Stem.str();
    Entry.Files.push_back(Each->path());
    Entry.Bytes += Status->getSize();
    Entry.Used = std::max(Entry.Used, Status->getLastModificationTime());
  }
  std::vector<Kept> All;
  llvm::append_range(All, llvm::make_second_range(Found));
  llvm::sort(All, [](const Kept& A, const Kept& B) { return A.Used > B.Used; });
  return All;
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
  const std::pair<const char*, const char*> Places[] = {
      {"GRAPHGEN_CACHE", ""}, {"XDG_CACHE_HOME", "graphgen"}, {"HOME", ".cache/graphgen"}};
  for (const auto& [Variable, Below] : Places) {
    llvm::SmallString<256> Path(Process::GetEnv(Variable).value_or(""));
    if (path::is_absolute(Path)) {
      path::append(Path, Below);
      return Path.str().str();
    }
  }
  return {};
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
  const std::string Probe = path("room.new" + llvm::Twine(Process::getProcessId()));
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

std::vector<std::string> CacheFolder::stems(llvm::StringRef Prefix) const {
  std::vector<std::string> Found;
  for (const Kept& Entry : keptIn(Own)) {
    if (llvm::StringRef(Entry.Stem).starts_with(Prefix)) {
      Found.push_back(Entry.Stem);
    }
  }
  return Found;
}

void CacheFolder::shrink(llvm::StringRef Stem) const {
  const auto LongAgo = std::chrono::system_clock::now() - std::chrono::hours(1);
  uint64_t Total = 0;
  for (const Kept& Entry : keptIn(Own)) {
    Total += Entry.Bytes;
    const bool MayBeUnfinished = llvm::StringRef(Entry.Stem).ends_with("-") && Entry.Used > LongAgo;
    if (Total > Limit && Entry.Stem != Stem && !MayBeUnfinished) {
      llvm::for_each(Entry.Files, [](const std::string& File) { fs::remove(File); });
    }
  }
}

}  // namespace graphgen::driver
