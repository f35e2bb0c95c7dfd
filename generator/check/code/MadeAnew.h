// SPDX-License-Identifier: Apache-2.0
//
// Numbers and containers that each call of a function sets to the same before it changes them.
#pragma once

#include "check/code/Frame.h"

namespace graphgen::check {

/// Whether a statement that always comes before `Where`, in the same body, assigns, clears or fills what D, a pattern, names.
bool isMadeAnew(const clang::ValueDecl& D, clang::SourceLocation Where, const Frame& In);

}  // namespace graphgen::check
