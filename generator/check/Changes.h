// SPDX-License-Identifier: Apache-2.0
//
// Whether a value that a callable reads may be another one in its next call.
#pragma once

#include "check/UnitIndex.h"

namespace graphgen::check {

/// The first write in the unit that shows it of what `Read` names; null where the value is fixed for all that the unit says: it is written
/// by constructors and what only they call, before a callable can be called, or by `Annotated` itself, to the same value in each call.
const Write* changeBetweenCalls(const clang::Expr& Read, const clang::FunctionDecl& Annotated, const UnitIndex& Index);

}  // namespace graphgen::check
