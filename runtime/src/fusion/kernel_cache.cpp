// SPDX-License-Identifier: Apache-2.0
#include "fusion/kernel_cache.h"

#include "report/environment.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// By the system's functions: libtorch.so exports some of std::filesystem, which fail where a program links it before the standard library.
namespace graphed::impl::fusion {

namespace {

constexpr std::string_view extension = ".fused";

/// The folder and those above it, for this user alone.
void make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    mkdir(path.substr(0, end).c_str(), 0700);
  }
  mkdir(path.c_str(), 0700);
}

struct entry {
  std::string path;
  timespec used;
  uint64_t bytes;
};

std::vector<entry> entries_of(const std::string& folder) {
  std::vector<entry> entries;
  DIR* const opened = opendir(folder.c_str());
  if (opened == nullptr) {
    return entries;
  }
  while (const dirent* const found = readdir(opened)) {
    const std::string path = folder + "/" + found->d_name;
    struct stat status{};
    if (std::string_view(found->d_name).find(extension) != std::string_view::npos && stat(path.c_str(), &status) == 0) {
      entries.push_back({path, status.st_mtim, static_cast<uint64_t>(status.st_size)});
    }
  }
  closedir(opened);
  return entries;
}

std::string user_folder() {
  if (const std::string& own = environment::get().cache; !own.empty()) {
    return own;
  }
  for (const auto& [variable, below] : {std::pair("XDG_CACHE_HOME", "/graphed"), std::pair("HOME", "/.cache/graphed")}) {
    if (const char* const folder = std::getenv(variable); folder != nullptr && folder[0] == '/') {
      return std::string(folder) + below;
    }
  }
  return "";
}

/// FNV-1a. An entry holds its key, so that two keys of one hash only replace one another.
uint64_t hash(const std::string& text) {
  uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return value;
}

/// What precedes the content of an entry.
std::string head(const std::string& key) { return std::to_string(key.size()) + "\n" + key; }

}  // namespace

kernel_cache& kernel_cache::get() {
  static auto& made = *new kernel_cache(user_folder());
  return made;
}

std::string kernel_cache::path_of(const std::string& key) const {
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash(key)));
  return folder_ + "/" + name + std::string(extension);
}

std::optional<std::string> kernel_cache::find(const std::string& key) const {
  if (folder_.empty()) {
    return std::nullopt;
  }
  const std::string path = path_of(key);
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string expected = head(key);
  if (!file || text.compare(0, expected.size(), expected) != 0) {
    return std::nullopt;
  }
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return text.substr(expected.size());
}

void kernel_cache::keep(const std::string& key, const std::string& content) const {
  static std::atomic<uint64_t> count{0};
  if (folder_.empty()) {
    return;
  }
  make_folders(folder_);
  const std::string path = path_of(key);
  const std::string unfinished = path + "." + std::to_string(getpid()) + "." + std::to_string(count++);
  std::ofstream file(unfinished, std::ios::binary);
  file << head(key) << content;
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    unlink(unfinished.c_str());
    return;
  }
  remove_oldest();
}

void kernel_cache::remove_oldest() const {
  std::vector<entry> entries = entries_of(folder_);
  const auto time = [](const entry& e) { return std::pair(e.used.tv_sec, e.used.tv_nsec); };
  std::sort(entries.begin(), entries.end(), [&](const entry& a, const entry& b) { return time(a) < time(b); });
  uint64_t bytes = 0;
  for (const entry& e : entries) {
    bytes += e.bytes;
  }
  for (auto oldest = entries.begin(); oldest != entries.end() && bytes > bound_; ++oldest) {
    unlink(oldest->path.c_str());
    bytes -= oldest->bytes;
  }
}

}  // namespace graphed::impl::fusion
