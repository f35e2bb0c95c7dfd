// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are the same in each call of a key: of sizes, of constants, and of members that constructors alone set.
#pragma once

#include "check/Annotations.h"
#include "check/code/Frame.h"
#include "check/state/UnitIndex.h"

namespace graphgen::check {

/// False where nobody knows.
bool isStaticValue(const clang::Expr& E, const UnitIndex& Index);

/// Such a number that is the same for all keys and sizes that the annotations name.
bool isOneValue(const clang::Expr& E, const Frame& In, const UnitIndex& Index, AnnotationsOfOne Annotations);

/// Whether nothing but constructors and initializers writes what E names.
bool isSetByConstructorsOnly(const clang::Expr& E, const UnitIndex& Index);

}  // namespace graphgen::check
