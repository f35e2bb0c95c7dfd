// SPDX-License-Identifier: Apache-2.0
//
// Whether an annotation matches its declaration.
#pragma once

#include "scan/Scan.h"

namespace graphgen::check {

/// Reports what does not: arguments that are not parameters, parameters that the annotation does not name, kinds and counts that differ.
void checkConformity(const scan::ScannedCallable& Scanned, scan::Reporter& Report);

}  // namespace graphgen::check
