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

/// A C++ string literal, quotes included.
std::string literal(llvm::StringRef Text);

/// "at::kFloat" and its like.
std::string dtypeName(annotation::DType Type);

/// "net_impl_forward" of "NetImplForward".
std::string snakeCase(llvm::StringRef CamelCase);

/// Code at file scope as it can be written inside the members of graphed::callable: with a leading `::` before those names that graphed's
/// own would hide. There must be no string literals in it.
std::string reachable(llvm::StringRef Code);

/// The same for the name of a function, which a parameter or a member could hide as well.
std::string reachableFunction(llvm::StringRef QualifiedName);

/// Whether a namespace or class of this name could be mistaken for one of graphed's.
bool isNameOfGraphed(llvm::StringRef Name);

/// What the parameters are called in generated code: as the user calls them, but for those that would hide a name that the code uses.
std::vector<std::string> argumentNames(llvm::ArrayRef<plan::Parameter> Parameters);

/// What dimension variables are called as template parameters of their tables: as the user calls them, but for those that would hide a name
/// that the tables use.
std::vector<std::string> variableNames(llvm::ArrayRef<plan::DimVariable> Variables);

/// Code with another name in place of `Name`.
std::string renamed(llvm::StringRef Code, llvm::StringRef Name, llvm::StringRef New);

/// "a, b, c" if a line of 140 columns holds it beside `Around` others; else one a line, each indented by `Indent`.
std::string commaList(llvm::ArrayRef<std::string> Items, std::size_t Around, std::size_t Indent);

}  // namespace graphgen::emit
