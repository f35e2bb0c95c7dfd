// SPDX-License-Identifier: Apache-2.0
//
// What a stored lambda or functor reads through a reference or a pointer: the bytes of the std::function have only its address.
#pragma once

#include "check/flow/Path.h"

#include <optional>

namespace graphgen::check {

/// Whether the place is behind a reference or pointer in what a std::function holds.
bool isBehindFunction(const flow::PathNode& Of);

/// Where the closure is stored in an object of the class whose `this` it captured: that object. Of a closure on its own, which another file
/// may store so: the closure. Null of any other place.
const flow::PathNode* objectOfOwnLambda(const flow::PathNode& Capture);

/// A number, tensor or list of the function that made a lambda.
struct Captured {
  const clang::VarDecl* Variable;
  clang::SourceLocation Change;  // invalid where others may change it
};

/// Of what a lambda reads by reference, or behind a pointer, if it may change after the lambda was made.
std::optional<Captured> capturedAt(const flow::PathNode& Of);

}  // namespace graphgen::check
