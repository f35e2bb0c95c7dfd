// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results as trees of parts.
#pragma once

#include "plan/Plan.h"

#include "annotation/Evaluate.h"

namespace graphgen::plan {

/// The parts of an argument, in the order in which it is flattened; live scalars are numbered from `LiveScalars` on.
Part partsOf(const annotation::Parameter& Declared, const annotation::Spec& Spec, const annotation::Constants& Known,
             std::size_t& LiveScalars);

/// The parts of a result, whose form a capture decides.
Part partsOf(const annotation::Type& Result);

/// What the annotation says of each key of a map, as the keys sort.
std::vector<annotation::Field> sortedKeys(const annotation::Spec& Map);

/// What `List` says of each element.
annotation::Spec elementOf(const annotation::Spec& List);

/// What the annotation says of a struct's member, which it names.
const annotation::Spec& memberOf(const annotation::Spec& Struct, const std::string& Name);

}  // namespace graphgen::plan
