// SPDX-License-Identifier: Apache-2.0
//
// `graphgen --debug-facts`: what each body of a callable is seen to do, so that a finding that is missing, or false, can be understood.
#pragma once

#include "check/flow/Facts.h"

#include "scan/Scan.h"

namespace graphgen::check {

/// Of each callable that has a body here.
void printFacts(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies, llvm::raw_ostream& Out);

}  // namespace graphgen::check
