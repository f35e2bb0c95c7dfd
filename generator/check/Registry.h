// SPDX-License-Identifier: Apache-2.0
//
// The capture-safety checks by their ids, which name the diagnostics and their sections in docs/reference/checks.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

struct CheckInfo {
  llvm::StringLiteral Name;
  bool IsOfTargets;  // what an operation does to its target is checked, which is reported beside what else is wrong at the place
  bool OnlyWarns;
};

/// Of two that speak about one place the earlier is heard.
llvm::ArrayRef<CheckInfo> checks();

/// `Name` is one of checks().
const CheckInfo& infoOf(llvm::StringRef Name);

}  // namespace graphgen::check
