// SPDX-License-Identifier: Apache-2.0
//
// Pointers behind which a body reads more than calls compare.
// RUN: graphgen --print %s %flags 2>&1 >%t | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=CODE < %t
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <cstdint>

namespace app {

struct Layer {
  double times() const { return gain; }
  double gain = 1;
};
struct Kernel {
  torch::Tensor run(const torch::Tensor& x) const { return x + x; }
  double unread = 1;
};
struct Stream;
void launch(Stream* stream, const torch::Tensor& x, void* buffer);

struct Untyped {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) {
    launch(static_cast<Stream*>(stream), x, reinterpret_cast<void*>(buffer));
    return x * *static_cast<double*>(data) * ((Layer*)object)->times() * *reinterpret_cast<float*>(address);
  }
  // CHECK: :[[#@LINE+1]]:9: warning: calls of 'run' do not notice a change of 'data': what it points to is not compared
  void* data = nullptr;
  // CHECK: :[[#@LINE+1]]:9: warning: calls of 'run' do not notice a change of 'object': what it points to is not compared
  void* object = nullptr;
  // CHECK: :[[#@LINE+1]]:17: warning: calls of 'run' do not notice a change of 'address': what it points to is not compared
  std::intptr_t address = 0;
  void* stream = nullptr;
  std::intptr_t buffer = 0;
};
// CODE: constexpr const char* watched_names[] = {"address", "buffer"};

struct Several {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) {
    double sum = layers[1].times() + tensors[0].size(0) + first[0].gain + title[1];
    for (const Layer* each = begin; each != begin + count; ++each) {
      sum += each->gain;
    }
    return kernels[1].run(x) * weights[1] * sum;
  }
  // CHECK: :[[#@LINE+1]]:10: warning: calls of 'run' do not notice a change of 'layers': it is a pointer to an array
  Layer* layers = nullptr;
  // CHECK: :[[#@LINE+1]]:16: warning: calls of 'run' do not notice a change of 'begin': it is a pointer to an array
  const Layer* begin = nullptr;
  // CHECK: :[[#@LINE+1]]:24: warning: calls of 'run' do not notice a change of 'weights': it is a pointer to an array
  const torch::Tensor* weights = nullptr;
  const Layer* first = nullptr;
  torch::Tensor* tensors = nullptr;
  Kernel* kernels = nullptr;
  const char* title = "title";
  int count = 1;
};

}  // namespace app
