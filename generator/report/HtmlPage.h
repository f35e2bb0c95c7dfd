// SPDX-License-Identifier: Apache-2.0
//
// The page that a browser shows of a report; its parts are the runtime's, runtime/src/report/run/page.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphgen::report {

/// `Json`: as docs/report.schema.json has it.
std::string htmlPage(llvm::StringRef Json);

}  // namespace graphgen::report
