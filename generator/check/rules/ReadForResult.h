// SPDX-License-Identifier: Apache-2.0
//
// Numbers that the callable reads of tensors and returns: the graph gives the tensors, and generated code reads them after the replay.
#pragma once

#include "check/rules/Rule.h"

namespace graphgen::check {

/// Whether the callable's result has numbers.
bool returnsNumbers(AnnotationsOfOne Annotations);
/// Whether the call is `item()`, of a callable whose result has numbers, and nothing is done with what it gives but to return it.
bool isReadForResult(const Occurrence& At);
/// Whether nothing is done with the number that the call gives, of a callable whose result has numbers: captures take these apart.
bool isReadAndDropped(const Occurrence& At);

}  // namespace graphgen::check
