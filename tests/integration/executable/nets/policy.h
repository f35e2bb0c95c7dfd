// SPDX-License-Identifier: Apache-2.0
//
// A callable in a header below the source folder, with sizes from another header and a definition of the target's.
#pragma once

#include "sizes.h"

#include <graphed/annotate.h>

#include <ATen/core/Tensor.h>

constexpr std::int64_t columns = COLUMNS;

GRAPHED(x: f32[rows, columns])
at::Tensor policy(const at::Tensor& x);
