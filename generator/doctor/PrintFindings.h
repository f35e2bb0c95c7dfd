// SPDX-License-Identifier: Apache-2.0
//
// What the doctor says.
#pragma once

#include "doctor/Finding.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::doctor {

/// A table of what was found, then a line for each remedy.
void printText(llvm::ArrayRef<Finding> Findings, llvm::raw_ostream& Out);

/// The same as one JSON document.
void printJson(llvm::ArrayRef<Finding> Findings, llvm::raw_ostream& Out);

}  // namespace graphgen::doctor
