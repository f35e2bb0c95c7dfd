// SPDX-License-Identifier: Apache-2.0
//
// What replays of a new capture do otherwise than calls of the original function, though each is right by its promise.
#pragma once

#include "call/admission.h"
#include "watch/recording.h"

namespace graphed::impl {

/// Warns of each once, after the capture has been kept.
void warn_of_replays(admission& call, const recording& seen);

}  // namespace graphed::impl
