// SPDX-License-Identifier: Apache-2.0
//
// Whether a value that a callable reads may be another one in its next call.
#pragma once

#include "check/code/Frame.h"
#include "check/state/UnitIndex.h"

namespace graphgen::check {

/// The first write in the unit that shows it of what `Read` names; null where the value is fixed for all that the unit says, written by
/// constructors and what only they call. What the annotated callable and its calls write is left out: graphed-host-state tells it.
const StateWrite* changeBetweenCalls(const clang::Expr& Read, const Frame& In, const UnitIndex& Index);

}  // namespace graphgen::check
