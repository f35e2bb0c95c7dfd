// SPDX-License-Identifier: Apache-2.0
//
// What to do instead of a copy to the device.
#pragma once

#include "check/rules/Rule.h"

namespace graphgen::check {

/// The tensor's name in the text; empty where it has none.
std::string nameOfTensor(const clang::Expr& E);

/// The name of the tensor that `To` is, or whose device it is; empty where it is none's.
std::string nameOfDestination(const clang::Expr& To);

/// A note where the tensor is made: "build it on 'x.options()'". `Beside`: the name of a tensor that is there, or empty.
std::vector<Note> noteToBuildThere(const clang::Expr& Made, llvm::StringRef Beside);

/// Makes `torch::zeros({2}, d)` of `torch::zeros({2}).to(d)`; nothing where that may give other values or another dtype.
std::vector<clang::FixItHint> fixesThatBuildThere(const clang::Stmt& Copy, const clang::Expr& Made);

}  // namespace graphgen::check
