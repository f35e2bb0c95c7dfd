// SPDX-License-Identifier: Apache-2.0
//
// The forms of the language that are valid and that this version cannot do yet.
#pragma once

#include "annotation/Diagnostic.h"

namespace graphgen::annotation {

/// A "graphed-unsupported" error for each such form, in the order of the text: nothing is ever ignored.
std::vector<Diagnostic> checkSupported(const Annotation& Tree);

}  // namespace graphgen::annotation
