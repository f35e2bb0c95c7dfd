// SPDX-License-Identifier: Apache-2.0
//
// --man-page.
#pragma once

#include "driver/OptionTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {

/// Prints graphgen(1).
void printManPage(llvm::ArrayRef<OptionRow> Rows, llvm::raw_ostream& Out);

}  // namespace graphgen::driver
