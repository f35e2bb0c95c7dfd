// SPDX-License-Identifier: Apache-2.0
//
// The package's config file sets each of its facts on a line.
#include "doctor/Package.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace graphgen::doctor {
namespace {

namespace path = llvm::sys::path;

/// The value of `set(<Name> "<value>")`.
std::string valueOf(llvm::StringRef Line, llvm::StringRef Name) {
  if (!Line.consume_front("set(") || !Line.consume_front(Name) || !Line.consume_front(" \"") || !Line.consume_back("\")")) {
    return {};
  }
  return Line.str();
}

}  // namespace

Package packageOf(llvm::StringRef Program) {
  for (const llvm::StringRef Folder : {llvm::StringRef(GRAPHGEN_INSTALLED_PACKAGE), llvm::StringRef("cmake")}) {
    llvm::SmallString<256> Config(path::parent_path(path::parent_path(Program)));
    path::append(Config, Folder, "graphgenConfig.cmake");
    const auto Text = llvm::MemoryBuffer::getFile(Config, /*IsText=*/true);
    if (!Text) {
      continue;
    }
    Package Found;
    for (llvm::line_iterator Line(**Text); !Line.is_at_eof(); ++Line) {
      if (std::string Value = valueOf(*Line, "graphgen_TORCH_VERSION"); !Value.empty()) {
        Found.TorchVersion = std::move(Value);
      } else if (Value = valueOf(*Line, "graphgen_TORCH_ROOT"); !Value.empty()) {
        Found.TorchRoot = std::move(Value);
      }
    }
    if (Found.TorchRoot.empty()) {
      Found.TorchRoot = path::parent_path(path::parent_path(path::parent_path(Program))).str();
    }
    return Found;
  }
  return {};
}

}  // namespace graphgen::doctor
