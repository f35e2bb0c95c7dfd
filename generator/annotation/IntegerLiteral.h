// SPDX-License-Identifier: Apache-2.0
//
// The value of a C++ integer literal: decimal, octal, hexadecimal or binary, with digit separators and suffixes.
#pragma once

#include "annotation/Syntax.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphgen::annotation {

struct IntegerLiteral {
  int64_t Value = 0;
  std::string Error;  // empty: Value holds
  TextRange Where;    // Error's place within the literal
};

IntegerLiteral readIntegerLiteral(llvm::StringRef Text);

}  // namespace graphgen::annotation
