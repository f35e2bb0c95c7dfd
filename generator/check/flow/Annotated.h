// SPDX-License-Identifier: Apache-2.0
//
// What annotations say of an argument, or of a part of it.
#pragma once

#include "check/flow/Path.h"
#include "scan/Scan.h"

#include <vector>

namespace graphgen::check::flow {

/// Of one of several elements those of all; empty where the annotation does not name it.
std::vector<const annotation::Bound*> boundsOf(const scan::ScannedCallable& Scanned, Path Of);

/// Null where the annotation does not name it, and of one of several elements whose annotations may differ.
const annotation::Bound* boundOf(const scan::ScannedCallable& Scanned, Path Of);

/// How many elements a list has; nothing of what is none.
std::optional<int64_t> countOf(const scan::ScannedCallable& Scanned, Path Of);

/// Of a tensor in a dimension, which counts from the last one where it is negative; nothing where that differs between captures.
std::optional<int64_t> sizeOf(const scan::ScannedCallable& Scanned, Path Of, int64_t Dimension);

}  // namespace graphgen::check::flow
