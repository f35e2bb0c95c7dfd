// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/rules/Rule.h"

namespace graphgen::check {

/// The parameter of the first function of the way, where the expression is a c10::Dict or c10::List that shares its elements; else null.
const clang::ParmVarDecl* givenHandle(const clang::Expr& Object, const Way& In);

}  // namespace graphgen::check
