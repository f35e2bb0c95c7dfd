// SPDX-License-Identifier: Apache-2.0
//
// Whether a part of a local variable, or of the object that a method is called on, may come to be another one than what it was made with.
#pragma once

#include "check/code/Selections.h"

namespace graphgen::check {

/// Assigned to in the body of In, exchanged there, or handed to what may do so. False of what the whole only refers to.
bool isPartReassigned(const Selection& Part, const clang::FunctionDecl& In);

/// Any of those that a local variable of In has.
bool isAnyPartReassigned(const clang::VarDecl& Variable, const clang::FunctionDecl& In);

/// Whether a method, or a constructor after its initializers, may assign a tensor or a pointer to a member of its object.
bool mayAssignMembers(const clang::CXXMethodDecl& Method);

}  // namespace graphgen::check
