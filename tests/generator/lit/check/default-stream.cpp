// SPDX-License-Identifier: Apache-2.0
//
// Work on the default stream.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

// CHECK: sync.h:{{[0-9]+}}:35: error: 'cudaMemset' works on the default stream, which is not part of the graph [graphed-default-stream]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { in_header::clear(nullptr); }

void launch_scale(float* x, int n, cudaStream_t stream = nullptr);

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  void* memory = nullptr;
  // CHECK: default-stream.cpp:[[#@LINE+1]]:3: error: 'cudaMemcpyAsync' works on the default stream, which is not part of the graph [graphed-default-stream]
  cudaMemcpyAsync(memory, memory, 8, cudaMemcpyDefault);
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaMemcpyAsync' works
  cudaMemcpyAsync(memory, memory, 8, cudaMemcpyDefault, nullptr);
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaMemcpyAsync' works
  cudaMemcpyAsync(memory, memory, 8, cudaMemcpyDefault, cudaStreamLegacy);
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaLaunchKernel' works
  cudaLaunchKernel(memory, 1, 1, nullptr, 0, 0);
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaLaunchKernel' works
  cudaLaunchKernel(memory, 1, 1, nullptr, 0, cudaStream_t());
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaLaunchKernel' works
  cudaLaunchKernel(memory, 1, 1, nullptr, 0, c10::cuda::getDefaultCUDAStream());
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaLaunchKernel' works
  cudaLaunchKernel(memory, 1, 1, nullptr, 0, c10::cuda::getDefaultCUDAStream().stream());
  // CHECK: :[[#@LINE+1]]:3: warning: 'launch_scale' works on the default stream
  launch_scale(nullptr, 2);
  // CHECK: :[[#@LINE+1]]:3: warning: 'launch_scale' works on the default stream
  launch_scale(nullptr, 2, 0);
}

struct Scaler {
  Scaler() { cublasCreate_v2(&handle); }
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    const float alpha = 2;
    // CHECK: :[[#@LINE+1]]:5: warning: 'cublasSscal_v2' works on the default stream, which is not part of the graph: 'handle' was given no other [graphed-default-stream]
    cublasSscal_v2(handle, 2, &alpha, nullptr, 1);
  }
  cublasHandle_t handle;
};

// The current stream; an unknown stream; a handle that was given one; a body that chooses.
struct SafeScaler {
  SafeScaler() { cublasCreate_v2(&handle); }
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    const float alpha = 2;
    cublasSetStream_v2(handle, c10::cuda::getCurrentCUDAStream());
    cublasSscal_v2(handle, 2, &alpha, nullptr, 1);
  }
  cublasHandle_t handle;
};
void launch_on_some(cudaStream_t stream = nullptr) {
  cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, stream ? stream : c10::cuda::getCurrentCUDAStream().stream());
}
cudaStream_t chosen();
GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyDefault, stream);
  cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyDefault, c10::cuda::getCurrentCUDAStream());
  launch_scale(nullptr, 2, chosen());
  launch_on_some();
  cublasHandle_t borrowed = nullptr;
  cublasSscal_v2(borrowed, 2, nullptr, nullptr, 1);
}

#define LAUNCH(kernel) cudaLaunchKernel(kernel, 1, 1, nullptr, 0, 0)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'cudaLaunchKernel' works
  // CHECK: :[[#@LINE-3]]:24: note: expanded from macro 'LAUNCH'
  LAUNCH(nullptr);
}

template <int Block>
void launch() {
  // CHECK: :[[#@LINE+2]]:3: error: 'cudaLaunchKernel' works
  // CHECK: note: called from 'in_a_template' here
  cudaLaunchKernel(nullptr, 1, Block, nullptr, 0, nullptr);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { launch<8>(); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  cudaMemset(nullptr, 0, 8);  // graphgen: allow(graphed-default-stream)
}
