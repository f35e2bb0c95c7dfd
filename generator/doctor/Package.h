// SPDX-License-Identifier: Apache-2.0
//
// The CMake package beside this program, and the LibTorch that its runtime was built against, or, of a wheel, is to be built against.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphgen::doctor {

struct Package {
  std::string TorchVersion;  // empty where the runtime is not built yet, or there is no package
  std::string TorchRoot;     // where the runtime is not built yet, the folder above the package, which is site-packages
};

/// Of the program at this path: the installed package, or that of its build folder.
Package packageOf(llvm::StringRef Program);

}  // namespace graphgen::doctor
