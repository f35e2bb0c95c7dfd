// SPDX-License-Identifier: Apache-2.0
//
// Pointers behind which a body reads more than calls compare.
// RUN: graphgen --print %s %flags 2>&1 >%t | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=CODE < %t
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

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

// Through other variables, parameters and results.
struct Passed {
  const Layer* begin() const { return first; }
  static double valueOf(const void* of) { return *static_cast<const double*>(of); }
  static double sum(const Layer* of) { return of[1].gain; }
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) {
    void* copied = data;
    double product = *static_cast<double*>(copied) * valueOf(given) * sum(layers);
    for (const Layer* each = begin(); each != nullptr; ++each) {
      product *= each->gain;
    }
    return x * product * one->gain;
  }
  // CHECK: :[[#@LINE+1]]:9: warning: calls of 'run' do not notice a change of 'data': what it points to is not compared
  void* data = nullptr;
  // CHECK: :[[#@LINE+1]]:9: warning: calls of 'run' do not notice a change of 'given': what it points to is not compared
  void* given = nullptr;
  // CHECK: :[[#@LINE+1]]:10: warning: calls of 'run' do not notice a change of 'layers': it is a pointer to an array
  Layer* layers = nullptr;
  // CHECK: :[[#@LINE+1]]:16: warning: calls of 'run' do not notice a change of 'first': it is a pointer to an array
  const Layer* first = nullptr;
  const Layer* one = nullptr;
};

// What objects of libraries give that hold more than their bytes.
struct OfLibraries {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) {
    const auto* file = stream.get();
    return x * dist.mean() * (file->is_open() ? 2.0 : 1.0) * (thread.joinable() ? 2.0 : 1.0);
  }
  // CHECK: :[[#@LINE+1]]:36: warning: calls of 'run' do not notice a change of 'dist': no call can compare objects of its class
  std::normal_distribution<double> dist{1, 2};
  // CHECK: :[[#@LINE+1]]:15: warning: calls of 'run' do not notice a change of 'thread': no call can compare objects of its class
  std::thread thread;
  // CHECK: :[[#@LINE+1]]:34: warning: calls of 'run' do not notice a change of 'stream': no call can compare objects of its class
  std::unique_ptr<std::ofstream> stream;
};

}  // namespace app
