// SPDX-License-Identifier: Apache-2.0
//
// All that a variable or member is ever given, where this unit shows all of it.
#pragma once

#include "check/state/UnitIndex.h"

#include <optional>
#include <vector>

namespace graphgen::check {

/// Nothing of parameters, and where another file, or a function that it is handed to, may change it.
std::optional<std::vector<const clang::Expr*>> allValues(const clang::ValueDecl& D, const UnitIndex& Index);

/// Whether no other file can name a member or variable to give it a value.
bool isGivenByUnitAlone(const clang::ValueDecl& D);

/// Whether a member, or a variable that outlives its function, is handed to one that may change it.
bool isHandedOn(const clang::ValueDecl& D, const UnitIndex& Index);

}  // namespace graphgen::check
