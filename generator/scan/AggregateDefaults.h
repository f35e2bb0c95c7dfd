// SPDX-License-Identifier: Apache-2.0
//
// Default arguments of structs, tuples and arrays.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <optional>
#include <string>

namespace graphgen::scan {

/// Of a struct, tuple, pair or std::array: `{}`, or its members in braces, each of them empty or a constant. Nothing for another value.
std::optional<std::string> aggregateText(const clang::ASTContext& Context, clang::QualType Type, const clang::Expr& Value);

/// Of a member of any type: as aggregateText, or a constant that can be a key, or `{}`. Nothing for another value.
std::optional<std::string> partText(const clang::ASTContext& Context, clang::QualType Type, const clang::Expr& Value);

/// Of a std::optional of a tensor or of an aggregate.
std::optional<std::string> optionalPartText(clang::QualType Type, const clang::Expr& Value);

}  // namespace graphgen::scan
