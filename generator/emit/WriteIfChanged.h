// SPDX-License-Identifier: Apache-2.0
//
// Writing a file so that nobody sees half of it, and so that what did not change keeps its time.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace graphgen::emit {

/// Makes `Path` hold `Content`, through a temporary file in the same folder and a rename; a file that holds it already is not touched. A
/// symbolic link stays, and the file that it names is written; a device or a pipe is written to. The error names the path and the reason;
/// the file is then as it was.
llvm::Error writeIfChanged(llvm::StringRef Path, llvm::StringRef Content);

}  // namespace graphgen::emit
