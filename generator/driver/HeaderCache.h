// SPDX-License-Identifier: Apache-2.0
//
// Precompiled headers, kept from one run to the next.
#pragma once

#include "driver/CacheFolder.h"
#include "driver/Manifest.h"
#include "scan/ScanFile.h"

#include <map>

namespace graphgen::driver {

/// A header is known by the compiler's and graphgen's versions, the flags in their order, as far as they matter to it, and the bytes that
/// it is made from. Whatever is wrong with the folder or a file in it is a reason to do without.
class HeaderCache : public scan::PrecompiledHeaders {
 public:
  /// `Tells`: says on standard error that a header is being made, which takes long.
  HeaderCache(CacheFolder Folder, bool Tells) : Folder(std::move(Folder)), Tells(Tells) {}

  const scan::PrecompiledHeader* find(const scan::FrontEnd& Compiler, llvm::StringRef Root, bool& IsNew, std::string& Why) override;

 private:
  struct Wanted;

  std::optional<Manifest> load(const Wanted& What) const;
  std::optional<Manifest> make(const Wanted& What, bool& IsNew, std::string& Why) const;
  std::optional<Manifest> keep(const Wanted& What, scan::PrecompiledHeader Made, std::string& Why) const;

  CacheFolder Folder;
  bool Tells;
  std::multimap<std::string, Manifest> Known;  // of this run, by key
};

}  // namespace graphgen::driver
