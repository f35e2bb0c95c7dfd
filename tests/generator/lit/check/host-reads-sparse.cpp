// SPDX-License-Identifier: Apache-2.0
//
// Sparse tensors: whose number of elements, or size, the host reads.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <ATen/Functions.h>
#include <check/factories.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

GRAPHED(i: i64[2, 8], v: f32[8], x: f32[8, 8]) void read(const torch::Tensor& i, const torch::Tensor& v, const torch::Tensor& x) {
  const auto sparse = torch::sparse_coo_tensor(i, v, {8, 8});
  // CHECK: host-reads-sparse.cpp:[[#@LINE+1]]:10: error: 'coalesce' reads a tensor's value on the host, which a graph cannot do [graphed-host-item]
  sparse.coalesce();
  // CHECK: :[[#@LINE+1]]:10: error: 'mm' reads
  sparse.mm(x);
  // CHECK: :[[#@LINE+1]]:5: error: 'matmul' reads
  x.matmul(sparse);
  // CHECK: :[[#@LINE+1]]:10: error: 'norm' reads
  sparse.norm();
  // CHECK: :[[#@LINE+1]]:10: error: 'tanh' reads
  sparse.tanh();
  // CHECK: :[[#@LINE+1]]:7: error: '_sparse_softmax' reads
  at::_sparse_softmax(sparse, 0);
  // CHECK: :[[#@LINE+1]]:5: error: 'to_sparse_csr' reads
  x.to_sparse_csr();
  // CHECK: :[[#@LINE+1]]:10: error: 'sparse_csr_tensor' reads
  torch::sparse_csr_tensor(i, i, v);
}

struct Graph {
  GRAPHED(x: f32[8, 8]) void reads(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:15: warning: 'coalesce' may read a tensor's value on the host, which a graph cannot do [graphed-host-item]
    adjacency.coalesce();
    // As it was made, outside.
    adjacency.mm(x);
  }
  torch::Tensor adjacency;
};

GRAPHED(i: i64[2, 8], v: f32[8], n: i64[3]) void counted(const torch::Tensor& i, const torch::Tensor& v, const torch::Tensor& n) {
  const auto sparse = torch::sparse_coo_tensor(i, v, {8, 8}, v.options(), /*is_coalesced=*/true);
  // CHECK: :[[#@LINE+1]]:10: error: 'index_select' reads
  sparse.index_select(0, n);
  // CHECK: :[[#@LINE+1]]:10: error: 'select' reads
  sparse.select(0, 3);
}

// Where the indices are there once, and where nothing asks.
GRAPHED(i: i64[2, 8], v: f32[8], x: f32[8, 8]) void safe(const torch::Tensor& i, const torch::Tensor& v, const torch::Tensor& x) {
  torch::sparse_coo_tensor(i, v, {8, 8}).to_dense();
  torch::sparse_coo_tensor(i, v, {8, 8}, x.options(), /*is_coalesced=*/true).mm(x);
  torch::sparse_csr_tensor(i, i, v, {8, 8}).mm(x);
  x.mm(x);
  x.tanh();
  x.select(0, 3);
  x.norm();
}
