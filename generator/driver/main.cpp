// SPDX-License-Identifier: Apache-2.0
//
// graphgen, the command.
#include "doctor/Doctor.h"
#include "driver/Driver.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

int main(int Count, const char** Arguments) {
  const llvm::InitLLVM Setup(Count, Arguments);
  llvm::setBugReportMsg("graphgen has crashed: please report it, with the file and the callable that are named below\n");
  const auto Given = graphgen::driver::parseOptions(Count, Arguments);
  if (!Given) {
    return 2;
  }
  return Given->What == graphgen::driver::Mode::Doctor ? graphgen::doctor::runDoctor(*Given) : graphgen::driver::run(*Given);
}
