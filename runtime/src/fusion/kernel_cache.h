// SPDX-License-Identifier: Apache-2.0
//
// What compiling and proving has come to, on disk: the next process starts with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace graphed::impl::fusion {

/// Entries by a key, which is any text that says all that the entry depends on. Where the folder cannot be written, nothing is
/// kept. Several processes may share a folder.
class kernel_cache {
 public:
  /// GRAPHED_CACHE, or else graphed/ below XDG_CACHE_HOME or ~/.cache.
  static kernel_cache& get();
  /// `bound`: of the folder's files together. The ones that were not used for longest are removed.
  explicit kernel_cache(std::string folder, uint64_t bound = uint64_t{256} << 20) : folder_(std::move(folder)), bound_(bound) {}

  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, const std::string& content) const;

 private:
  std::string path_of(const std::string& key) const;
  void remove_oldest() const;

  std::string folder_;  // empty: none
  uint64_t bound_;
};

}  // namespace graphed::impl::fusion
