// SPDX-License-Identifier: Apache-2.0
//
// Models that AOTInductor has compiled: shared libraries, whose kernels on a CPU are not operators of LibTorch.
#pragma once

namespace graphed::impl {

/// Whether this process has such a model loaded. Any thread; quick where no library came or went since the last question.
bool has_compiled_models();

/// Whether this function of a model runs it for several threads: it records an event, which a capture would make useless.
bool runs_for_several_threads(const void* function);

}  // namespace graphed::impl
