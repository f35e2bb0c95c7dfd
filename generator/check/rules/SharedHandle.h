// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/rules/Rule.h"

namespace graphgen::check {

/// Whether copies of such a value share its elements: a c10::Dict or c10::List.
bool isHandle(clang::QualType Type);

/// That of a call of a method; null of any other statement.
const clang::Expr* objectOf(const clang::Stmt& Call);

/// The parameter of the first function of the way, where the expression is a c10::Dict or c10::List that shares its elements; else null.
const clang::ParmVarDecl* givenHandle(const clang::Expr& Object, const Way& In);

}  // namespace graphgen::check
