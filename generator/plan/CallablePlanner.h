// SPDX-License-Identifier: Apache-2.0
//
// The plan of one callable.
#pragma once

#include "plan/Plan.h"

#include <vector>

namespace graphgen::plan {

/// What keeps one annotation from being planned.
std::vector<annotation::Diagnostic> checkAnnotation(const annotation::Callable& Declared);

/// Of one callable's annotations, which have no problems and agree. Without its identifier, which depends on the file's other callables.
Callable planCallable(llvm::ArrayRef<const annotation::Callable*> Annotations);

}  // namespace graphgen::plan
