// SPDX-License-Identifier: Apache-2.0
//
// What --explain prints with --format=json and html: one document for all files.
#pragma once

#include "driver/Options.h"
#include "plan/Plan.h"
#include "report/Message.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace graphgen::driver {

/// docs/report.schema.json, or the page of it.
std::string explainDocument(Explained As, llvm::ArrayRef<plan::FilePlan> Plans, const report::Report& Told);

}  // namespace graphgen::driver
