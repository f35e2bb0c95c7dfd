// SPDX-License-Identifier: Apache-2.0
//
// The chosen instances of a template: those that are instantiated explicitly, else those that the code uses.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace clang {
class FunctionDecl;
}

namespace graphgen::scan {

/// The functions that explicit instantiations of the pattern `F`, or of the class template around it, make; where there is none, those
/// that the code names or calls. In the order in which the compiler met them.
std::vector<const clang::FunctionDecl*> chosenInstances(const clang::FunctionDecl& F);

/// The integer that an instance has for the template parameter `Name`, its own or that of a class around it.
std::optional<int64_t> templateArgument(const clang::FunctionDecl& F, llvm::StringRef Name);

}  // namespace graphgen::scan
