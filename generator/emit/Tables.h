// SPDX-License-Identifier: Apache-2.0
//
// The tables of samples that a call's tensors are checked against.
#pragma once

#include "plan/Plan.h"

#include "llvm/Support/JSON.h"

namespace graphgen::emit {

/// The keys of the template `tables`. They are arrays for one annotation without dimension variables. Else they are a struct for each
/// annotation, a template where it has variables, and a row for each sample.
llvm::json::Object tables(const plan::Callable& Callable);

}  // namespace graphgen::emit
