// SPDX-License-Identifier: Apache-2.0
//
// How generated code names the members of an object that each call looks at.
#pragma once

#include "plan/Plan.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace graphgen::emit {

/// The keys of the template `watch`: one object, or none where nothing is watched. `ObjectType` is as graphed::impl::ObjectHolder has it.
llvm::json::Array watched(const plan::Callable& Callable, llvm::StringRef ObjectType);

/// The same for the objects among the arguments.
llvm::json::Array watchedArguments(const plan::Callable& Callable);

}  // namespace graphgen::emit
