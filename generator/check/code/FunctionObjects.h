// SPDX-License-Identifier: Apache-2.0
//
// Functions that the unit hands on as values: lambdas, functors, and functions by their names. A body that calls a std::function or a
// pointer may come to each of its signature.
#pragma once

#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringRef.h"

#include <set>
#include <string>

namespace graphgen::check {

/// Without references, pointers and qualifiers, which differ between a function and what calls it.
std::string signatureOf(const clang::FunctionProtoType& Type, const clang::ASTContext& Context);

/// In place of a signature: of the `forward` of a module that is given to one of LibTorch's.
constexpr llvm::StringLiteral ModuleInContainer = "a module in a container";

struct FunctionObject {
  std::set<std::string> Signatures;         // of a method also the one with its object
  const clang::ValueDecl* Store = nullptr;  // the only member or variable outside of functions that gets it; null where unknown
};

/// By the functions that they run: of lambdas and functors the `operator()`. Lambdas that the function around them only calls are left out.
llvm::MapVector<const clang::FunctionDecl*, FunctionObject> functionObjectsIn(const clang::ASTContext& Context);

}  // namespace graphgen::check
