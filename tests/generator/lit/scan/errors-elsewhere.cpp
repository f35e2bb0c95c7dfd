// SPDX-License-Identifier: Apache-2.0
//
// What does not compile outside annotated declarations is left to the compiler.
// RUN: graphgen --dump-plan %s %flags 2>%t | FileCheck %s
// RUN: count 0 < %t
#include <graphed/annotate.h>
#include <torch/torch.h>
#include "no_such_file.h"

int broken = undeclared;
// CHECK: "name": "policy"
GRAPHED(x: f32[2]) torch::Tensor policy(torch::Tensor x) { return x.no_such_member(); }
Unknown after(Unknown x) { return x }
// CHECK: "name": "last"
GRAPHED(x: f32[2]) torch::Tensor last(torch::Tensor x);
