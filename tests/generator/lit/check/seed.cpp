// SPDX-License-Identifier: Apache-2.0
//
// Random generators whose state is set.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: writes.h:{{[0-9]+}}:{{[0-9]+}}: error: 'manual_seed' sets
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { writes::seed(); }

extern at::Generator generator;

GRAPHED(x: f32[2]) void seeds(const torch::Tensor& x) {
  // CHECK: seed.cpp:[[#@LINE+1]]:10: error: 'manual_seed' sets the state of a random generator, which a replay does not do again [graphed-seed]
  torch::manual_seed(1);
  // CHECK: :[[#@LINE+1]]:13: error: 'set_current_seed' sets
  generator.set_current_seed(2);
  // CHECK: :[[#@LINE+1]]:14: error: 'set_current_seed' sets
  generator->set_current_seed(2);
}

// Draws, and a function of the program's with that name.
namespace app {
void manual_seed(std::uint64_t seed);
}
GRAPHED(x: f32[2]) torch::Tensor safe(const torch::Tensor& x) {
  generator.current_seed();
  app::manual_seed(1);
  return x + torch::randn({2});
}

#define SEED() at::manual_seed(1)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'manual_seed' sets
  // CHECK: note: expanded from macro 'SEED'
  SEED();
}

template <int Seed>
void seed() {
  // CHECK: :[[#@LINE+2]]:10: error: 'manual_seed' sets
  // CHECK: note: called from 'in_a_template' here
  torch::manual_seed(Seed);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { seed<3>(); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  torch::manual_seed(1);  // graphgen: allow(graphed-seed)
}
GRAPHED(x: f32[2]; allow = graphed-seed) void allowed(const torch::Tensor& x) { torch::manual_seed(1); }
