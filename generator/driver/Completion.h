// SPDX-License-Identifier: Apache-2.0
//
// --completion.
#pragma once

#include "driver/OptionTable.h"
#include "driver/Options.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {

/// Prints a script that the shell reads.
void printCompletion(Shell For, llvm::ArrayRef<OptionRow> Rows, llvm::raw_ostream& Out);

}  // namespace graphgen::driver
