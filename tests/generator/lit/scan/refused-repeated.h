// SPDX-License-Identifier: Apache-2.0
//
// Several annotations on one declaration.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: :[[#@LINE+3]]:1: error: several annotations on 'policy' are not supported yet [graphed-repeated]
// CHECK: :[[#@LINE+1]]:1: note: the first is here
GRAPHED(x: f32[2])
GRAPHED(x: f32[4])
torch::Tensor policy(torch::Tensor x);
