// SPDX-License-Identifier: Apache-2.0
//
// What does not compile outside annotated declarations is left to the compiler; a body that does not is checked in part.
// RUN: graphgen --dump-plan %s %flags 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=TOLD --implicit-check-not=error: --implicit-check-not=warning: --input-file=%t %s
#include <graphed/annotate.h>
#include <torch/torch.h>
#include "no_such_file.h"

int broken = undeclared;
// CHECK: "name": "policy"
// TOLD: :[[#@LINE+1]]:69: warning: 'policy' is checked in part
GRAPHED(x: f32[2]) torch::Tensor policy(torch::Tensor x) { return x.no_such_member(); }
Unknown after(Unknown x) { return x }
// CHECK: "name": "last"
GRAPHED(x: f32[2]) torch::Tensor last(torch::Tensor x);
