// SPDX-License-Identifier: Apache-2.0
//
// Which flags go with which tensors.
#pragma once

#include "annotation/Diagnostic.h"

namespace graphgen::annotation {

/// Null where the tensor does not have the flag.
const FlagUse* findFlag(const Spec& Tensor, Flag Value);

/// A "graphed-dtype" or "graphed-flag" error for each flag that its tensor cannot have, in the order of the text.
std::vector<Diagnostic> checkFlags(const Annotation& Tree);

}  // namespace graphgen::annotation
