// SPDX-License-Identifier: Apache-2.0
//
// Default arguments that generated code cannot repeat.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

int now();
extern torch::Tensor global;
extern const double rate;
class Owner {
  enum class Secret { A };
 public:
  // CHECK: :[[#@LINE+2]]:26: error: the default argument of parameter 's' cannot be repeated in generated code: {{.*}} [graphed-default-argument]
  GRAPHED(s: key)
  void hidden(Secret s = Secret::A);
};

// CHECK: :[[#@LINE+3]]:16: error: the default argument of parameter 'n' cannot be repeated in generated code: it is neither a constant nor '{}'; write a constant, or remove the default argument [graphed-default-argument]
// CHECK: :[[#@LINE+2]]:12: note: without a default argument here, callers of the graphed form pass 'n' themselves
GRAPHED(n: key)
void f(int n = now());
// CHECK: error: the default argument of parameter 'x' cannot be repeated
GRAPHED(x: f32[2]) void g(torch::Tensor x = global);
// CHECK: error: the default argument of parameter 'r' cannot be repeated
GRAPHED(r: key) void h(double r = rate);
// CHECK: error: the default argument of parameter 'x' cannot be repeated in generated code: {{.*}}; write '= {}', mark 'x' as optional, and make the tensor in the body
GRAPHED(x: f32[2]) void i(std::optional<torch::Tensor> x = torch::zeros({2}));
// CHECK: error: the default argument of parameter 'xs' cannot be repeated
GRAPHED(xs: f32[2] * 3) void j(std::vector<torch::Tensor> xs = std::vector<torch::Tensor>(3));
// CHECK: error: the default argument of parameter 's' cannot be repeated
GRAPHED(s: key) void k(std::string s = std::string(3, 'x'));
// CHECK: error: the default argument of parameter 'sizes' cannot be repeated
GRAPHED(sizes: key) void m(std::vector<int64_t> sizes = std::vector<int64_t>(3, 1));
// CHECK: error: the default argument of parameter 'sizes' cannot be repeated
GRAPHED(sizes: key) void o(std::vector<int64_t> sizes = {1, now()});
// CHECK: error: the default argument of parameter 'd' cannot be repeated
GRAPHED(d: key) void l(double d = __builtin_nan(""));
// CHECK: error: the default argument of parameter 'alpha' cannot be repeated
GRAPHED(alpha: key) void p(at::Scalar alpha = c10::Half(0.1f));
// CHECK: error: the default argument of parameter 's' cannot be repeated in generated code: {{.*}}; write '= {}', or braces with a constant or '{}' for each member
GRAPHED(s: {f32[2], f32[2]}) void q(std::tuple<torch::Tensor, torch::Tensor> s = {global, {}});
// CHECK: error: the default argument of parameter 's' cannot be repeated in generated code: {{.*}}; write '= {}', or braces
GRAPHED(s: {key, key}) void r(std::pair<double, int> s = std::make_pair(0.5, now()));
struct Rates { double first = 0, second = 0; int third = now(); };
// CHECK: error: the default argument of parameter 's' cannot be repeated
GRAPHED(s: {first: key, second: key, third: key}) void t(Rates s = {rate});
struct Made { Made(double given = 0); double first, second; };
// CHECK: error: the default argument of parameter 's' cannot be repeated
GRAPHED(s: {first: key, second: key}) void u(Made s = Made(0.5));
// CHECK: error: the default argument of parameter 's' cannot be repeated
GRAPHED(s: key * 2) void v(std::array<int, 2> s = {1, now()});
// CHECK: error: the default argument of parameter 's' cannot be repeated
GRAPHED(s: {f32[2], f32[2]}) void w(std::optional<std::pair<torch::Tensor, torch::Tensor>> s = std::make_pair(global, global));
