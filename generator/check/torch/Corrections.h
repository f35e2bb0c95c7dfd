// SPDX-License-Identifier: Apache-2.0
//
// Where a schema says too much of memory that is shared or written, or too little.
#pragma once

#include "check/torch/Operator.h"

namespace graphgen::check {

struct Correction {
  enum class How { Shows, MayShow, MayWrite };

  llvm::StringLiteral Operator;  // its name; with its overload, "index.TensorIndex", for that alone
  llvm::StringLiteral Parameter;
  How What;
};

llvm::ArrayRef<Correction> corrections();

void correct(Operator& One);

}  // namespace graphgen::check
