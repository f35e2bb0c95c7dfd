// SPDX-License-Identifier: Apache-2.0
//
// What was read, in Makefile syntax.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <set>
#include <string>

namespace graphgen::driver {

/// The rule of the depfile at `Path`: x.stamp.d names x.stamp, which is what the build system touches.
std::string depfileText(llvm::StringRef Path, const std::set<std::string>& Dependencies);

}  // namespace graphgen::driver
