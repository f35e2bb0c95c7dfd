// SPDX-License-Identifier: Apache-2.0
//
// The headers of LibTorch that are worth precompiling.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>

namespace clang {
class CompilerInvocation;
}

namespace graphgen::scan {

/// Whether `#include <Name>` names such a header.
bool isRoot(llvm::StringRef Name);

/// The path of a file that includes the root `Name` and nothing else, in a file system of addRootFiles.
std::string rootFile(llvm::StringRef Name);
bool isRootFile(llvm::StringRef Path);

/// Lets `Invocation` read the root's file in the place of its own, without what the command line includes before it.
void takeRootAlone(clang::CompilerInvocation& Invocation, llvm::StringRef Name);

/// `Base`, and those files.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> addRootFiles(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Base);

}  // namespace graphgen::scan
