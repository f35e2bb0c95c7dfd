// SPDX-License-Identifier: Apache-2.0
//
// graphgen, the command.
#include "driver/Driver.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

int main(int Count, const char** Arguments) {
  const llvm::InitLLVM Setup(Count, Arguments);
  llvm::setBugReportMsg("graphgen has crashed: please report it, with the file and the callable that are named below\n");
  const auto Given = graphgen::driver::parseOptions(Count, Arguments);
  return Given ? graphgen::driver::run(*Given) : 2;
}
