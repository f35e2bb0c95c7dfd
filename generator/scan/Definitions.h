// SPDX-License-Identifier: Apache-2.0
//
// The callables that headers annotate, in a source that defines them: their bodies are what capture-safety checks look at.
#pragma once

#include "scan/Scan.h"

namespace graphgen::scan {

/// Those of the callables annotated outside the main file whose bodies are in it. Of their annotations the syntax alone is read: the
/// header's own scan reads the rest.
std::vector<ScannedCallable> scanDefinitions(clang::ASTContext& Context, const MacroTexts& Texts, const Bodies& Known, Reporter& Report);

}  // namespace graphgen::scan
