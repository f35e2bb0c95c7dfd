// SPDX-License-Identifier: Apache-2.0
//
// The end of standard output: what could not be written is an error of the program's own, instead of LLVM's.
#pragma once

namespace graphgen::driver {

/// Writes what is still to be written. Takes and gives the program's exit status: 1 instead of 0 where something could not be written. Of a
/// reader that has gone nothing is said.
int closeStandardOutput(int Status);

/// For options that end the program, as --help.
void closeStandardOutputAtExit();

}  // namespace graphgen::driver
