// SPDX-License-Identifier: Apache-2.0
//
// What a scan sees in the place of <stem>.graphed.h: never what an earlier run wrote, so that the first build and the next scan the same.
#pragma once

#include "clang/Lex/PPCallbacks.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <memory>
#include <string>

namespace graphgen::scan {

bool isGeneratedHeader(llvm::StringRef Path);

/// Absolute folders: what is generated for <Inputs>/net/policy.h is in <Outputs>/net.
struct GeneratedFrom {
  std::string Inputs;
  std::string Outputs;
};

/// `Base` without its generated headers. In their place stand, beside each header <stem>.h and where its own is generated, a
/// <stem>.graphed.h that includes it, and for other sources an empty one.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> hideGeneratedHeaders(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Base,
                                                                     GeneratedFrom Folders);

/// Passes over an #include of a generated header that is found nowhere.
std::unique_ptr<clang::PPCallbacks> skipMissingGeneratedHeaders();

}  // namespace graphgen::scan
