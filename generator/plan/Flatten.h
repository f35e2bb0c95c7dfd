// SPDX-License-Identifier: Apache-2.0
//
// An argument as the rows of the tables that a call is checked against.
#pragma once

#include "plan/Plan.h"

#include "annotation/Evaluate.h"

namespace graphgen::plan {

/// Appends what the argument `Declared` holds, as `Spec` says, which fits its type, to the tensors and lists of `Rows`. The order is that
/// of the types: a struct's members as they are declared, bases first; a map's keys as they sort.
void flatten(const annotation::Parameter& Declared, const annotation::Spec& Spec, const annotation::Constants& Known, Samples& Rows);

}  // namespace graphgen::plan
