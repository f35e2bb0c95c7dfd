// SPDX-License-Identifier: Apache-2.0
//
// The annotated callable.
#pragma once

#include "sizes.h"

#include <graphed/annotate.h>

#include <ATen/core/Tensor.h>

GRAPHED(x: f32[size])
at::Tensor policy(const at::Tensor& x);
