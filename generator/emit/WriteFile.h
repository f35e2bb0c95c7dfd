// SPDX-License-Identifier: Apache-2.0
//
// Writing a file so that nothing sees half of it, and so that what did not change keeps its time.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

namespace graphgen::emit {

/// Makes `Path` hold `Content`: written to a temporary file in the same folder, which is then renamed. A symbolic link stays, and what it
/// names is replaced. After an error, which names the path and the reason, the file is as it was.
llvm::Error replaceFile(llvm::StringRef Path, llvm::StringRef Content,
                        llvm::sys::fs::perms Permissions = llvm::sys::fs::all_read | llvm::sys::fs::all_write);

/// The same for a file that does not hold `Content` yet. Its folder is made. A device or a pipe is written to.
llvm::Error writeIfChanged(llvm::StringRef Path, llvm::StringRef Content);

/// Fails where a symbolic link between `OutDir` and `File`, a path that begins with it, leads out of `OutDir`, which may be reached by
/// links itself.
llvm::Error checkStaysInside(llvm::StringRef OutDir, llvm::StringRef File);

}  // namespace graphgen::emit
