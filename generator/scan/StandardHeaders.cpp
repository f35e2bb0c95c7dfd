// SPDX-License-Identifier: Apache-2.0
#include "scan/StandardHeaders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <utility>

namespace graphgen::scan {
namespace {

/// Those of C, and of POSIX, in the folder of <features.h>.
constexpr llvm::StringLiteral HeadersOfC[] = {
    "alloca.h",   "assert.h",  "byteswap.h", "complex.h",     "ctype.h",  "dirent.h",   "dlfcn.h",  "endian.h",    "errno.h",
    "execinfo.h", "fcntl.h",   "fenv.h",     "float.h",       "getopt.h", "inttypes.h", "iso646.h", "libgen.h",    "limits.h",
    "locale.h",   "malloc.h",  "math.h",     "memory.h",      "poll.h",   "pthread.h",  "sched.h",  "setjmp.h",    "signal.h",
    "stdarg.h",   "stdbool.h", "stddef.h",   "stdint.h",      "stdio.h",  "stdlib.h",   "string.h", "strings.h",   "tgmath.h",
    "time.h",     "uchar.h",   "unistd.h",   "wchar.h",       "wctype.h", "threads.h",  "utime.h",  "semaphore.h", "syslog.h",
    "glob.h",     "termios.h", "stdalign.h", "stdnoreturn.h",
};
constexpr llvm::StringLiteral FoldersOfC[] = {"asm", "asm-generic", "bits", "gnu", "linux", "sys"};

/// Whether `Path` is one of them in `Folder`, which also holds other libraries' headers.
bool isOfC(llvm::StringRef Path, llvm::StringRef Folder) {
  if (!Path.consume_front(Folder)) {
    return false;
  }
  const auto [First, Rest] = Path.split('/');
  return Rest.empty() ? llvm::is_contained(HeadersOfC, First) : llvm::is_contained(FoldersOfC, First);
}

}  // namespace

StandardHeaders::StandardHeaders(llvm::ArrayRef<std::string> Files) {
  for (const llvm::StringRef Each : Files) {
    const llvm::StringRef Name = llvm::sys::path::filename(Each), Folder = llvm::sys::path::parent_path(Each);
    if (Name == "cstddef") {
      OfCxx.push_back((Folder + "/").str());
    } else if (Name == "features.h") {
      OfC.push_back((Folder + "/").str());
    } else if (Name == "wordsize.h") {  // <bits/wordsize.h>, in the folder of the target
      OfC.push_back((llvm::sys::path::parent_path(Folder) + "/").str());
    }
  }
}

bool StandardHeaders::have(llvm::StringRef Path) const {
  return llvm::any_of(OfCxx, [&](llvm::StringRef Folder) { return Path.starts_with(Folder); }) ||
         llvm::any_of(OfC, [&](llvm::StringRef Folder) { return isOfC(Path, Folder); });
}

}  // namespace graphgen::scan
