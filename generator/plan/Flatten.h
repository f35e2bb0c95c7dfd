// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results as generated code walks them, and as the rows of the tables that a call is checked against.
#pragma once

#include "plan/Plan.h"

namespace graphgen::plan {

/// Appends the tensors and lists that `Argument` holds to `Rows`, whose variables and lengths are there, and gives its parts; live scalars
/// are numbered from `LiveScalars` on. The order is that of the types: a struct's members as they are declared, bases first; a map's keys
/// as they sort.
Part flatten(const annotation::Bound& Argument, Samples& Rows, std::size_t& LiveScalars);

/// The parts of a result, whose form a capture decides.
Part partsOf(const annotation::Type& Result);

}  // namespace graphgen::plan
