// SPDX-License-Identifier: Apache-2.0
//
// The folder of Clang's own headers, stddef.h and the like.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace graphgen::driver {

/// The folder beside this program or the Clang library, or the one known at build time. Fails, saying where it looked.
llvm::Expected<std::string> findResourceDir();

}  // namespace graphgen::driver
