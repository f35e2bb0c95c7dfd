// SPDX-License-Identifier: Apache-2.0
//
// Default arguments as generated code repeats them.
#pragma once

#include "annotation/Callable.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <optional>
#include <string>

namespace graphgen::scan {

/// The default argument `Value` of a parameter, exactly: a literal, an enumerator, a cast of a number, or `{}` for what is empty. Nothing
/// where it is not a constant of this kind.
std::optional<std::string> defaultText(const clang::ASTContext& Context, annotation::TypeKind Kind, clang::QualType Type,
                                       const clang::Expr& Value);

/// Of what can be a key, without qualifiers.
std::optional<std::string> valueText(const clang::ASTContext& Context, clang::QualType Type, const clang::Expr& Value);

/// `{}` where `Value` makes an empty value of class `Type`.
std::optional<std::string> emptyText(clang::QualType Type, const clang::Expr& Value);

}  // namespace graphgen::scan
