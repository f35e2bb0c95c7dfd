// SPDX-License-Identifier: Apache-2.0
//
// Template arguments that are floating-point numbers: Clang prints six digits of them, by which two instances would have one name.
#pragma once

#include "clang/AST/Type.h"

#include <string>

namespace clang {
class NamedDecl;
}

namespace graphgen::scan {

/// `Printed` is how Clang prints the name of `D`, or the type: with each number as a literal of its own type and value.
std::string withExactFloats(std::string Printed, const clang::NamedDecl& D);
std::string withExactFloats(std::string Printed, clang::QualType Type);

}  // namespace graphgen::scan
