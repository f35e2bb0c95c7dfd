// SPDX-License-Identifier: Apache-2.0
//
// Objects as arguments that the annotation leaves out, or says otherwise.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>

namespace app {

struct NetImpl : torch::nn::Module {};
TORCH_MODULE(Net);
struct Logger {
  virtual void log(double value);
};
struct Batch {
  torch::Tensor obs;
};

// CHECK: :[[#@LINE+4]]:31: error: parameter 'net' of type 'NetImpl &' is not in the annotation: a capture would freeze which object it is [graphed-unmarked-parameter]
// CHECK: note: 'net: module' looks on each call at the module, its modes, and its parameters and buffers
// CHECK: fix-it:"{{.*}}":{[[#@LINE+1]]:18-[[#@LINE+1]]:18}:", net: module"
GRAPHED(x: f32[2])
void left_out_module(NetImpl& net, torch::Tensor x);

// CHECK: :[[#@LINE+3]]:36: error: parameter 'logger' of type 'const Logger &' is not in the annotation: a capture would freeze which object it is [graphed-unmarked-parameter]
// CHECK: note: 'logger: object' captures one graph for each object, and looks on each call at what it holds
GRAPHED(x: f32[2])
void left_out_object(const Logger& logger, torch::Tensor x);

// CHECK: :[[#@LINE+3]]:14: error: parameter 'net' is a torch::nn::Module: it takes 'module' [graphed-mismatch]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+2]]:14-[[#@LINE+2]]:20}:"module"
// CHECK: :[[#@LINE+1]]:30: error: parameter 'logger' is not a torch::nn::Module: it takes 'object' [graphed-mismatch]
GRAPHED(net: object, logger: module)
void exchanged(Net net, Logger& logger);

// CHECK: :[[#@LINE+2]]:14: error: parameter 'net' is a torch::nn::Module: it takes 'module' [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:30: error: parameter 'logger' is an object that the call refers to: it takes 'object' [graphed-mismatch]
GRAPHED(net: f32[2], logger: key)
void values(NetImpl* net, std::shared_ptr<Logger> logger);

// CHECK: :[[#@LINE+3]]:12: error: parameter 'x' takes no 'object', which is for a parameter that is a reference, a pointer or a smart pointer to a class, or a module holder [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:23: error: parameter 'n' takes no 'module', {{.*}} [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:40: error: member 'b.obs' takes no 'object', {{.*}} [graphed-mismatch]
GRAPHED(x: object, n: module, b: {obs: object})
void no_objects(torch::Tensor x, int64_t n, const Batch& b);

struct Settings {
  double scale;
};

// What could be an aggregate as well is offered both ways.
// CHECK: :[[#@LINE+5]]:38: error: parameter 'settings' of type 'const Settings &' is not in the annotation [graphed-mismatch]
// CHECK: :[[#@LINE+3]]:18: note: say what it holds here, such as 'settings: {scale: key}'
// CHECK: :[[#@LINE+2]]:18: note: or 'settings: object', which captures one graph for each object, and looks on each call at what it holds
// CHECK-NOT: fix-it
GRAPHED(x: f32[2])
void left_out_struct(const Settings& settings, torch::Tensor x);

// CHECK: :[[#@LINE+2]]:19: error: parameter 'settings' is a struct: say what its members are, in braces [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:19: note: or 'settings: object', which captures one graph for each object, and looks on each call at what it holds
GRAPHED(settings: key, x: f32[2])
void struct_as_key(Settings& settings, torch::Tensor x);

}  // namespace app
