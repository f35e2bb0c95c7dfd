// SPDX-License-Identifier: Apache-2.0
//
// What --explain shows, as docs/report.schema.json has it: the callables of a report of a program that has not run.
#pragma once

#include "plan/Plan.h"

#include "llvm/Support/JSON.h"

namespace graphgen::plan {

/// The elements of `callables`.
void writeExplanations(llvm::json::OStream& Out, const FilePlan& Plan);

}  // namespace graphgen::plan
