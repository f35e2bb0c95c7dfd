// SPDX-License-Identifier: Apache-2.0
//
// A plan as text, and that text in files.
#pragma once

#include "plan/Plan.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace graphgen::emit {

struct Rendered {
  std::string Header;
  std::string Source;  // empty for an input that is itself a source file: its header holds everything
  std::string Manifest;
};

llvm::Expected<Rendered> render(const plan::FilePlan& Plan);

struct OutputPaths {
  std::string Header;
  std::string Source;  // empty for an input that is itself a source file
  std::string Manifest;
};

/// Below `OutDir` at the input's relative path: net/policy.h becomes <OutDir>/net/policy.graphed.{h,cpp,json}.
OutputPaths outputPaths(llvm::StringRef OutDir, const plan::FilePlan& Plan);

/// Fails where a symbolic link would lead one of them out of `OutDir`, which they begin with.
llvm::Error checkStayInside(llvm::StringRef OutDir, const OutputPaths& Paths);

/// Writes what changed, the manifest last; folders are made. A failed write leaves the file as it was.
llvm::Error writeOutputs(const Rendered& Text, const OutputPaths& Paths);

}  // namespace graphgen::emit
