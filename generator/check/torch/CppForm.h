// SPDX-License-Identifier: Apache-2.0
//
// What C++ says of a function that may call an operator, in the words of schemas.
#pragma once

#include "check/torch/Operator.h"

#include "clang/AST/Decl.h"

#include <string>

namespace graphgen::check {

struct CppParameter {
  llvm::StringRef Name;  // "self" of a method's object
  Operator::Kind Type = Operator::Kind::Other;
  bool IsOptions = false;  // TensorOptions
};

struct CppForm {
  llvm::SmallVector<std::string, 4> Names;  // of operators, the likeliest first; none where the function calls none
  llvm::SmallVector<CppParameter, 8> Parameters;
  llvm::SmallVector<size_t, 8> Order;  // of the parameters, as the schema has them: `add_out(out, ...)` and `2 - x` have another one
};

CppForm cppFormOf(const clang::FunctionDecl& Function);

}  // namespace graphgen::check
