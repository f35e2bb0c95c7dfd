// SPDX-License-Identifier: Apache-2.0
//
// Who may give a member or variable a value.
#pragma once

#include "check/code/UnitIndex.h"

namespace graphgen::check {

/// Whether no other file can name a member or variable to give it a value.
bool isGivenByUnitAlone(const clang::ValueDecl& D);

/// Whether the unit has the bodies of all methods, but for those that the compiler makes.
bool areMethodsDefinedHere(const clang::CXXRecordDecl& Class);

/// Whether the function may change what it is passed.
bool mayChangeIt(const StateUse& Use);

/// Whether a member, or a variable that outlives its function, is passed to one that may change it.
bool isHandedOn(const clang::ValueDecl& D, const UnitIndex& Index);

}  // namespace graphgen::check
