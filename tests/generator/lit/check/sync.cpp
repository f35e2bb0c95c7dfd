// SPDX-License-Identifier: Apache-2.0
//
// Calls that wait for the device.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

// CHECK: sync.h:{{[0-9]+}}:35: error: 'synchronize' waits for the device, which a graph cannot do [graphed-sync]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { in_header::wait(); }

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  cudaEvent_t event = nullptr;
  c10::cuda::CUDAEvent of_torch;
  const auto stream = c10::cuda::getCurrentCUDAStream();
  // CHECK: sync.cpp:[[#@LINE+1]]:3: error: 'cudaDeviceSynchronize' waits for the device, which a graph cannot do [graphed-sync]
  cudaDeviceSynchronize();
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaStreamSynchronize' waits
  cudaStreamSynchronize(stream);
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaEventSynchronize' waits
  cudaEventSynchronize(event);
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaEventQuery' asks the device whether it has finished, which a graph cannot do [graphed-sync]
  cudaEventQuery(event);
  // CHECK: :[[#@LINE+1]]:16: error: 'synchronize' waits
  torch::cuda::synchronize();
  // CHECK: :[[#@LINE+1]]:14: error: 'device_synchronize' waits
  c10::cuda::device_synchronize();
  // CHECK: :[[#@LINE+1]]:10: error: 'synchronize' waits
  stream.synchronize();
  // CHECK: :[[#@LINE+1]]:10: error: 'query' asks
  stream.query();
  // CHECK: :[[#@LINE+1]]:12: error: 'synchronize' waits
  of_torch.synchronize();
  // CHECK: :[[#@LINE+1]]:12: error: 'elapsed_time' asks
  of_torch.elapsed_time(of_torch);
  float milliseconds = 0;
  // CHECK: :[[#@LINE+1]]:3: error: 'cudaEventElapsedTime' asks
  cudaEventElapsedTime(&milliseconds, event, event);
}

// CHECK: :[[#@LINE+3]]:5: warning: 'cudaDeviceSynchronize' waits
GRAPHED(x: f32[2], debug: key) void under_a_condition(const torch::Tensor& x, bool debug) {
  if (debug) {
    cudaDeviceSynchronize();
  }
}

// Streams and events that order the device's work; functions of the program's with such names.
namespace app {
void synchronize();
struct Barrier {
  void synchronize() {}
};
}  // namespace app
GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  const auto stream = c10::cuda::getCurrentCUDAStream();
  c10::cuda::CUDAEvent event;
  event.record(stream);
  app::synchronize();
  app::Barrier().synchronize();
}

#define WAIT() cudaDeviceSynchronize()
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'cudaDeviceSynchronize' waits
  // CHECK: :[[#@LINE-3]]:16: note: expanded from macro 'WAIT'
  WAIT();
}

template <class Stream>
void finish(const Stream& stream) {
  // CHECK: :[[#@LINE+2]]:10: error: 'synchronize' waits
  // CHECK: note: called from 'in_a_template' here
  stream.synchronize();
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { finish(c10::cuda::getCurrentCUDAStream()); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  cudaDeviceSynchronize();  // graphgen: allow(graphed-sync)
}
