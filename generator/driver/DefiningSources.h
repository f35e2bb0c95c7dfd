// SPDX-License-Identifier: Apache-2.0
//
// The sources that may hold the bodies of a header's callables.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace graphgen::driver {

struct Source {
  std::string File;
  std::string Entry;  // of compile_commands.json: the file itself, or that of a unity build which includes it
};

/// The unqualified names of the callables that a manifest lists.
llvm::Expected<llvm::StringSet<>> readCallableNames(llvm::StringRef Manifest);

struct DefiningSources {
  std::vector<Source> MayDefine;
  std::vector<std::string> Read;  // every source that was looked into
};

/// Among `Files` and the sources that they include, by their texts. Generated sources are not looked into, nor files that cannot be read.
DefiningSources findDefiningSources(llvm::ArrayRef<std::string> Files, const llvm::StringSet<>& Names);

}  // namespace graphgen::driver
