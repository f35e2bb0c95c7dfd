// SPDX-License-Identifier: Apache-2.0
//
// Whether something that no call looks at may be another value in a later call.
#pragma once

#include "check/rules/Rule.h"

namespace graphgen::check {

/// The variable that the place is, or is in; null of another place.
const clang::VarDecl* variableOf(const flow::PathNode& Of);

/// What a call computes with, and not only what holds that.
bool isValue(const clang::ValueDecl& Named);

/// A reference or pointer to a value: whatever owns that may change it, and not by this name.
bool isOwnedOutside(clang::QualType Type);

/// A variable of a function that gives others a reference or a pointer to it, or to a part.
bool isGivenAway(const clang::VarDecl& Variable);

/// By this unit, or by another file, which may come to it. `Named` is the last member or variable on the way `Of`. The callable's own
/// changes, which are those of `Running`, do not count.
bool mayChange(const clang::ValueDecl& Named, const flow::PathNode& Of, const Occurrence& At, const Changes::Functions& Running);

/// A tensor or module, which its module may have registered, in a container of LibTorch's.
bool isPartInContainer(const clang::ValueDecl& Named, const flow::PathNode& Of);

/// Code that is not of the target may come to it: no member around it is private, or a header declares the variable.
bool isOpen(const flow::PathNode& Of);

}  // namespace graphgen::check
