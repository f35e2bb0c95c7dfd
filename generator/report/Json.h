// SPDX-License-Identifier: Apache-2.0
//
// graphgen's own format of diagnostics, which docs/reference/graphgen.md describes.
#pragma once

#include "report/Message.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace graphgen::report {

/// The elements of `findings` of docs/report.schema.json.
void writeFindings(llvm::json::OStream& Out, const Report& Told);

/// Indented, ending in a newline.
std::string toJson(const Report& Told, const std::string& Version);

}  // namespace graphgen::report
