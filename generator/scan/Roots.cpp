// SPDX-License-Identifier: Apache-2.0
//
// A precompiled header remembers the file that it was made from, which has to be there again when it is used.
#include "scan/Roots.h"

#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/PreprocessorOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace graphgen::scan {
namespace {

constexpr llvm::StringLiteral Folder = "/<graphgen>/";
constexpr llvm::StringLiteral Roots[] = {"torch/torch.h", "torch/all.h", "torch/nn.h", "torch/types.h", "ATen/ATen.h"};

}  // namespace

bool isRoot(llvm::StringRef Name) { return llvm::is_contained(Roots, Name); }

std::string rootFile(llvm::StringRef Name) { return (Folder + Name).str(); }

bool isRootFile(llvm::StringRef Path) { return Path.starts_with(Folder); }

void takeRootAlone(clang::CompilerInvocation& Invocation, llvm::StringRef Name) {
  Invocation.getFrontendOpts().Inputs = {clang::FrontendInputFile(rootFile(Name), clang::InputKind(clang::Language::CXX).getHeader())};
  Invocation.getPreprocessorOpts().Includes.clear();
  Invocation.getPreprocessorOpts().MacroIncludes.clear();
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> addRootFiles(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Base) {
  auto Added = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const llvm::StringRef Name : Roots) {
    const std::string Path = rootFile(Name);
    Added->addFile(Path, /*ModificationTime=*/0, llvm::MemoryBuffer::getMemBufferCopy(("#include <" + Name + ">\n").str(), Path));
  }
  auto All = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(Base));
  All->pushOverlay(std::move(Added));
  return All;
}

}  // namespace graphgen::scan
