// SPDX-License-Identifier: Apache-2.0
//
// Functions of linear algebra that read on the host whether they failed.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

// CHECK: sync.h:{{[0-9]+}}:66: error: 'linalg_inv' reads on the host whether it failed, which a graph cannot do; 'linalg_inv_ex' does not [graphed-linalg-sync]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2, 2]) void in_a_header(const torch::Tensor& x) { in_header::invert(x); }

GRAPHED(x: f32[2, 2], b: f32[3, 2, 2], y: f32[2, 2] inplace)
void named(const torch::Tensor& x, const torch::Tensor& b, torch::Tensor& y) {
  // CHECK: linalg-sync.cpp:[[#@LINE+1]]:10: error: 'linalg_inv' reads on the host whether it failed, which a graph cannot do; 'linalg_inv_ex' does not [graphed-linalg-sync]
  torch::linalg_inv(x);
  // CHECK: :[[#@LINE+1]]:5: error: 'inverse' reads {{.*}}; 'linalg_inv_ex' does not
  x.inverse();
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_inv_out' reads
  at::linalg_inv_out(y, x);
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_eigh' reads on the host whether it failed, which a graph cannot do [graphed-linalg-sync]
  at::linalg_eigh(x);
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_inv_ex' reads
  at::linalg_inv_ex(x, /*check_errors=*/true);
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_cond' reads
  at::linalg_cond(x);
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_cond' reads
  at::linalg_cond(x, -2);
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_matrix_norm' reads
  at::linalg_matrix_norm(x, 2.0);
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_matrix_norm' reads
  at::linalg_matrix_norm(x, "nuc");
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_ldl_factor_ex' reads
  at::linalg_ldl_factor_ex(x);
  // CHECK: :[[#@LINE+1]]:7: error: 'cholesky_solve' of a batch copies from the host, which a graph cannot do [graphed-linalg-sync]
  at::cholesky_solve(x, b);
  at::cholesky_inverse(x + x);  // two dimensions, as 'x'
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_ldl_solve' waits for the device, which a graph cannot do [graphed-linalg-sync]
  at::linalg_ldl_solve(x, x, x);
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_norm' reads
  at::linalg_norm(x, 2);
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_norm' reads
  at::linalg_norm(b, "nuc", c10::IntArrayRef({1, 2}));
  // CHECK: :[[#@LINE+1]]:7: error: 'linalg_matrix_power' reads
  at::linalg_matrix_power(x, -1);
  // CHECK: :[[#@LINE+1]]:7: error: 'matrix_exp' reads norms on the host, which a graph cannot do [graphed-linalg-sync]
  at::matrix_exp(x);
}

// Those that return the error code, look for none, or have arguments that need none.
namespace app {
torch::Tensor inverse(const torch::Tensor& x);
torch::Tensor matrix_exp(const torch::Tensor& x);
}
GRAPHED(x: f32[2, 2]) void safe(const torch::Tensor& x) {
  at::linalg_inv_ex(x);
  at::linalg_inv_ex(x, false);
  at::linalg_qr(x);
  at::linalg_cond(x, 1.0);
  at::linalg_matrix_norm(x, 1);
  at::linalg_matrix_norm(x);
  at::linalg_matrix_power(x, 3);
  at::cholesky_solve(x, x);
  at::cholesky_inverse(x);
  at::linalg_norm(x, 2, c10::IntArrayRef({1}));
  at::linalg_norm(x + x);
  at::linalg_norm(x.view({4}), 2);
  app::inverse(x);
  app::matrix_exp(x);
}

// Which matrices go to MAGMA is one version's to know.
GRAPHED(one: f32[300, 300], small: f32[500, 16, 16], many: f32[17, 17, 17])
void factored(const torch::Tensor& one, const torch::Tensor& small, const torch::Tensor& many) {
  at::det(one);
  // CHECK: :[[#@LINE+1]]:7: warning: 'linalg_inv_ex' of several matrices may wait for the device, which a graph cannot do [graphed-linalg-sync]
  at::linalg_inv_ex(small);
  at::linalg_lu(many[0]);
  // CHECK: :[[#@LINE+1]]:7: warning: 'det' of several matrices may wait
  at::det(many);
}

#define INVERSE(tensor) tensor.inverse()
GRAPHED(x: f32[2, 2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'inverse' reads
  // CHECK: :[[#@LINE-3]]:32: note: expanded from macro 'INVERSE'
  INVERSE(x);
}

template <class T>
T inverted(const T& x) {
  // CHECK: :[[#@LINE+2]]:12: error: 'inverse' reads
  // CHECK: note: called from 'in_a_template' here
  return x.inverse();
}
GRAPHED(x: f32[2, 2]) void in_a_template(const torch::Tensor& x) { inverted(x); }

GRAPHED(x: f32[2, 2]) void silenced(const torch::Tensor& x) {
  x.inverse();  // graphgen: allow(graphed-linalg-sync)
}
