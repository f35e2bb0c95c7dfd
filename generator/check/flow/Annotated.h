// SPDX-License-Identifier: Apache-2.0
//
// What annotations say of an argument, or of a part of it.
#pragma once

#include "check/flow/Path.h"
#include "scan/Scan.h"

namespace graphgen::check::flow {

/// Null where the annotation does not name it.
const annotation::Bound* boundOf(const scan::ScannedCallable& Scanned, Path Of);

}  // namespace graphgen::check::flow
