// SPDX-License-Identifier: Apache-2.0
//
// Parameters by reference to non-const that need not be.
#pragma once

namespace clang {
class FunctionDecl;
class ParmVarDecl;
}  // namespace clang

namespace graphgen::check {

/// Whether the body uses the parameter as a const one alone.
bool isReadOnly(const clang::ParmVarDecl& Parameter, const clang::FunctionDecl& Definition);

}  // namespace graphgen::check
