// SPDX-License-Identifier: Apache-2.0
//
// How generated code spells names, literals and lists.
#pragma once

#include "plan/Plan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphgen::emit {

/// The length of a line.
constexpr std::size_t Columns = 140;

/// A C++ string literal, quotes included.
std::string literal(llvm::StringRef Text);

/// "at::kFloat" and its like.
std::string dtypeName(annotation::DType Type);

/// "net_impl_forward" of "NetImplForward".
std::string snakeCase(llvm::StringRef CamelCase);

/// Types, names and constants with a leading `::` before each of the user's names, so that they mean the same in any scope:
/// "::app::scale<::app::Config>". Literals stay as they are.
std::string global(llvm::StringRef Code);

/// What a dimension variable is called as a template parameter. The names of tables have small letters and do not end so.
std::string variableName(llvm::StringRef Name);

/// Arithmetic on dimension variables, by these names.
std::string extent(llvm::StringRef Shape);
/// The same, of graphed::impl::Extents: "2 * values[0]" where B is the first of the open variables.
std::string openExtent(llvm::StringRef Shape, llvm::ArrayRef<std::string> Open);

/// `Name`, or a longer one that none of `Others` begins with: of what is beside names that the user has chosen.
std::string unlike(std::string Name, llvm::ArrayRef<std::string> Others);

/// "a, b, c" if a line holds it beside `Around` others; else on a line of its own, or one a line, indented by `Indent`.
std::string commaList(llvm::ArrayRef<std::string> Items, std::size_t Around, std::size_t Indent);

}  // namespace graphgen::emit
