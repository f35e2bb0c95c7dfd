// SPDX-License-Identifier: Apache-2.0
//
// What a captured autograd graph has saved, which no interface of LibTorch tells: it holds the tensor, or its version counter.
#pragma once

#include "slot/captured_callable.h"
#include "slot/static_arguments.h"

#include <cstddef>
#include <vector>

namespace graphed::impl {

/// How many hold each member of the closure, before a capture.
std::vector<std::size_t> use_counts(const closure& members);

/// Notes which arguments, members of the closure and results the backward needs. A view that is returned holds its base and shares its
/// version counter, but nothing is saved by that. `before`: the members' use counts; a tensor without one was not known before the capture.
void find_saved(captured_callable& made, const static_arguments& arguments, const tensor_list& results,
                const std::vector<std::size_t>& before);

}  // namespace graphed::impl
