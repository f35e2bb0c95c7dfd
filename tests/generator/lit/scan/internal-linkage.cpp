// SPDX-License-Identifier: Apache-2.0
//
// Functions of internal linkage in a source file, which its own generated code can call.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: "name": "hidden"
GRAPHED(x: f32[2]) static torch::Tensor hidden(torch::Tensor x) { return x; }

namespace app {
namespace {
enum class Mode { Sum, Mean };
// CHECK: "name": "app::anonymous"
// CHECK: "name": "mode"
// CHECK: "default": "app::Mode::Mean"
GRAPHED(x: f32[2], mode: key) torch::Tensor anonymous(torch::Tensor x, Mode mode = Mode::Mean) { return x; }
}  // namespace
}  // namespace app
