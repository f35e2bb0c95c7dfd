// SPDX-License-Identifier: Apache-2.0
//
// LLVM's streams end the program by an internal error if they are destroyed with an error that nothing has cleared.
#include "driver/StandardOutput.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace graphgen::driver {

int closeStandardOutput(int Status) {
  llvm::outs().flush();
  const std::error_code Error = llvm::outs().error();
  llvm::outs().clear_error();
  if (Error && Error != std::errc::broken_pipe) {
    llvm::errs() << "graphgen: error: cannot write standard output: " << Error.message() << '\n';
  }
  llvm::errs().clear_error();
  return Error && Status == 0 ? 1 : Status;
}

void closeStandardOutputAtExit() {
  llvm::outs();
  llvm::errs();  // both are made before, and so destroyed after
  std::atexit([] {
    if (const int Status = closeStandardOutput(0); Status != 0) {
      std::_Exit(Status);
    }
  });
}

}  // namespace graphgen::driver
