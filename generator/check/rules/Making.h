// SPDX-License-Identifier: Apache-2.0
//
// Which functions make an object, so that what they give its members is not a change.
#pragma once

#include "check/code/UnitIndex.h"

#include "clang/AST/DeclCXX.h"

#include <vector>

namespace graphgen::check {

constexpr unsigned MostCallers = 8;  // of callers

/// A setter, `Options& rate(double)`, of a class whose name says that it holds options. It makes an object that is a local variable's, or a
/// temporary; what it is called on otherwise, it changes.
bool setsOption(const clang::FunctionDecl& F);
/// Those of its object.
std::vector<const clang::FieldDecl*> fieldsSetBy(const clang::CXXMethodDecl& Method, const UnitIndex& Unit);

/// Constructors and destructors, what only they call, setters of options, and a method that makes the object's tensors or modules, as a
/// `setup()` does.
bool isMaking(const clang::FunctionDecl& F, const UnitIndex& Unit, unsigned Depth = 0);

/// The same where other files may call it as well, and calls in a loop do not make.
bool onlyMakes(const clang::FunctionDecl& F, const UnitIndex& Unit, unsigned Depth = 0);

}  // namespace graphgen::check
