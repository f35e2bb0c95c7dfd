// SPDX-License-Identifier: Apache-2.0
//
// Memory, and copies between host and device, beside the graph.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

// CHECK: sync.h:{{[0-9]+}}:39: error: 'cudaMalloc' manages memory when the graph is captured, not in replays [graphed-host-memory]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { void* memory; in_header::allocate(&memory); }

GRAPHED(x: f32[2], table: f32[2] inplace) void named(const torch::Tensor& x, torch::Tensor& table) {
  float* memory = nullptr;
  void* host = nullptr;
  // CHECK: host-memory.cpp:[[#@LINE+1]]:3: error: 'cudaMalloc' manages memory when the graph is captured, not in replays [graphed-host-memory]
  cudaMalloc(&memory, 8);
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaMallocHost' manages
  cudaMallocHost(&host, 8);
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaMemcpy' copies at once and beside the graph: replays do not copy [graphed-host-memory]
  cudaMemcpy(memory, host, 8, cudaMemcpyDefault);
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaFree' manages
  cudaFree(memory);
  // CHECK: :[[#@LINE+1]]:36: error: 'emptyCache' manages
  c10::cuda::CUDACachingAllocator::emptyCache();
  // CHECK: :[[#@LINE+1]]:10: error: 'tensor' copies values of the host to the device, which a graph can do of constants only; make it once, outside of the callable [graphed-host-memory]
  torch::tensor(std::vector<float>(2), torch::kCUDA);
  // CHECK: :[[#@LINE+1]]:10: warning: 'tensor' copies values
  torch::tensor(std::vector<float>(2), x.options());
  // CHECK: :[[#@LINE+2]]:28: error: 'to' copies a tensor of the host to the device, which a graph can do of constants only [graphed-host-memory]
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  at::from_blob(host, {2}).to(torch::kCUDA);
  const torch::Tensor zeros = torch::randn({2}, torch::kFloat);
  // CHECK: :[[#@LINE+2]]:9: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-2]]:31: note: the tensor is made here
  zeros.to(x.device());
  // CHECK: :[[#@LINE+2]]:21: warning: 'to' copies a tensor of the host to the device
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::randn({2}).to(x);
  // CHECK: :[[#@LINE+2]]:18: error: 'cuda' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  at::randn({2}).cuda();
  // CHECK: :[[#@LINE+2]]:9: warning: 'copy_' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:15: note: the tensor is made here
  table.copy_(at::from_blob(host, {2}));
  // CHECK: :[[#@LINE+1]]:5: warning: 'pin_memory' copies on the host when the graph is captured, not in replays [graphed-host-memory]
  x.pin_memory();
  // CHECK: :[[#@LINE+1]]:10: error: 'ctc_loss' copies its lists of lengths to the device, which a graph cannot do [graphed-host-memory]
  torch::ctc_loss(x, x, {2}, {1});
  const std::vector<std::int64_t> lengths(2, 4);
  // CHECK: :[[#@LINE+1]]:7: error: 'ctc_loss' copies its lists of lengths
  at::ctc_loss(x, x, lengths, lengths, /*blank=*/1);
  torch::Device device(torch::kCUDA);
  // CHECK: :[[#@LINE+2]]:21: error: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::randn({2}).to(device);
}

namespace app {
torch::Tensor ctc_loss(const torch::Tensor& log_probs, at::IntArrayRef input_lengths);
}
// What the allocator and the stream order; numbers; tensors made on their device, and constants.
GRAPHED(x: f32[2], table: f32[2] inplace) void safe(const torch::Tensor& x, torch::Tensor& table) {
  void* memory = nullptr;
  const auto stream = c10::cuda::getCurrentCUDAStream();
  cudaMallocAsync(&memory, 8, stream);
  cudaMemcpyAsync(memory, memory, 8, cudaMemcpyDefault, stream);
  torch::tensor(1.0, torch::kCUDA);
  torch::tensor({1.0, 2.0});
  torch::tensor({1.0, 2.0}, torch::kFloat);
  torch::tensor({1.0, 2.0}, torch::kCUDA);
  torch::tensor({1.0, 2.0}, torch::TensorOptions().device(x.device()));
  torch::randn({2}, torch::kCUDA).to(torch::kCUDA);
  torch::randn({2}, x.options()).to(x.device());
  torch::randn({2}, x.device()).cuda();
  at::from_blob(memory, {2}, torch::kCUDA).to(x.device());
  torch::randn({2}).to(torch::kFloat);
  torch::randn({2}, x.options()).to(x);
  torch::tensor({1.0, 2.0}).pin_memory().to(torch::kCUDA, /*non_blocking=*/true);
  x.to(torch::kCUDA);
  table.copy_(x);
  app::ctc_loss(x, {2});
}

#define VALUES(device) torch::tensor(std::vector<float>(2), device)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'tensor' copies values
  // CHECK: :[[#@LINE-3]]:31: note: expanded from macro 'VALUES'
  VALUES(torch::kCUDA);
}

template <class T>
void release(T* memory) {
  // CHECK: :[[#@LINE+2]]:3: error: 'cudaFree' manages
  // CHECK: note: called from 'in_a_template' here
  cudaFree(memory);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { release<float>(nullptr); }

GRAPHED(x: f32[2]; allow = graphed-host-memory) void silenced(const torch::Tensor& x) { torch::randn({2}).cuda(); }
