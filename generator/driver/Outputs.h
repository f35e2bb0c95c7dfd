// SPDX-License-Identifier: Apache-2.0
//
// Where a run writes.
#pragma once

#include "driver/Input.h"
#include "driver/Options.h"
#include "emit/Emit.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace graphgen::driver {

emit::OutputPaths outputsOf(const Input& File, llvm::StringRef OutDir);

std::string absolute(llvm::StringRef Path);
/// Of what exists, by whatever names.
bool isSame(llvm::StringRef A, llvm::StringRef B);

/// An error where the run would write one file twice, or over an input.
llvm::Error checkApart(const Options& Given, llvm::ArrayRef<Input> Inputs);

}  // namespace graphgen::driver
