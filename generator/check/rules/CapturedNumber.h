// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/rules/Rule.h"

#include <optional>

namespace graphgen::check {

/// A number of the function that made a lambda, which the lambda reads by reference.
struct CapturedNumber {
  const clang::VarDecl* Variable;
  clang::SourceLocation Change;  // invalid of a parameter that shows a number of the caller's
};

/// What a read shows, in a lambda that something holds which outlives the call, if it may change after the lambda was made.
std::optional<CapturedNumber> capturedNumber(const Occurrence& Read);

}  // namespace graphgen::check
