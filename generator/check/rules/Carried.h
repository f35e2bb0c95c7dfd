// SPDX-License-Identifier: Apache-2.0
//
// Members of the object whose tensors each call takes, and in whose place it puts the ones that the body has assigned.
#pragma once

#include "check/rules/Rule.h"

namespace graphgen::check {

/// Of a method's object: each call looks at all tensors of the member.
bool isLookedAt(AnnotationsOfOne Annotations, const flow::PathNode& To);

/// Captures take the tensor that is there, and each call puts the new one in its place. Numbers that the body changes decide about caches.
/// Where it changes some, and in a module, that is so of what the body reads or puts into another member.
bool callsCarry(const flow::Fact& Its, const Way& In, AnnotationsOfOne Annotations, const flow::Target& To);

/// Of a list of tensors that calls carry, and that the body keeps at one length: how many calls fill it. Nothing for another list.
std::optional<int64_t> callsUntilFull(const Occurrence& At, const flow::Target& Element);

}  // namespace graphgen::check
