// SPDX-License-Identifier: Apache-2.0
//
// graphgen, the command.
#include "driver/Driver.h"

#include "llvm/Support/InitLLVM.h"

int main(int Count, const char** Arguments) {
  const llvm::InitLLVM Setup(Count, Arguments);
  const auto Given = graphgen::driver::parseOptions(Count, Arguments);
  return Given ? graphgen::driver::run(*Given) : 2;
}
