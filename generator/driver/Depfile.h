// SPDX-License-Identifier: Apache-2.0
//
// What was read, in Makefile syntax.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <set>
#include <string>

namespace graphgen::driver {

/// The rule of the depfile at `Path`: x.stamp.d names x.stamp, which is what the build system touches. Fails for a dependency in whose
/// path Make would see a rule or a command.
llvm::Expected<std::string> depfileText(llvm::StringRef Path, const std::set<std::string>& Dependencies);

}  // namespace graphgen::driver
