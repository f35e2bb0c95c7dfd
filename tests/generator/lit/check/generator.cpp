// SPDX-License-Identifier: Apache-2.0
//
// Generators of the program's own.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

// CHECK: sync.h:{{[0-9]+}}:78: error: a CUDA generator other than the device's default one: no graph draws from it [graphed-generator]
// CHECK: sync.h:{{[0-9]+}}:{{[0-9]+}}: note: the generator is made here
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { in_header::noise(x); }

struct Sampler {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    // CHECK: generator.cpp:[[#@LINE+2]]:22: error: a CUDA generator other than the device's default one: no graph draws from it [graphed-generator]
    // CHECK: :[[#@LINE+7]]:29: note: the generator is made here
    at::bernoulli(x, generator);
    const auto local = at::make_generator<at::CUDAGeneratorImpl>(0);
    // CHECK: :[[#@LINE+2]]:19: error: a CUDA generator
    // CHECK: :[[#@LINE-2]]:24: note: the generator is made here
    at::rand({2}, local);
  }
  at::Generator generator = at::cuda::detail::createCUDAGenerator();
};

// The default one; one of a CPU; one that is passed in; none.
struct SafeSampler {
  explicit SafeSampler(at::Generator given) : given(given) {}
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    at::bernoulli(x, at::cuda::detail::getDefaultCUDAGenerator());
    at::bernoulli(x, host);
    at::bernoulli(x, given);
    at::bernoulli(x);
    at::rand({2}, std::nullopt);
  }
  at::Generator host = at::make_generator<at::CPUGeneratorImpl>(7);
  at::Generator given;
};

#define NOISE(tensor, generator) at::bernoulli(tensor, generator)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  static const auto own = at::cuda::detail::createCUDAGenerator();
  // CHECK: :[[#@LINE+2]]:12: error: a CUDA generator
  // CHECK: note: the generator is made here
  NOISE(x, own);
}

template <class Tensor>
void noisy(const Tensor& x, const at::Generator& unknown) {
  // CHECK: :[[#@LINE+3]]:20: error: a CUDA generator
  // CHECK: note: the generator is made here
  // CHECK: note: called from 'in_a_template' here
  at::bernoulli(x, at::cuda::detail::createCUDAGenerator());
  at::bernoulli(x, unknown);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { noisy(x, at::cuda::detail::getDefaultCUDAGenerator()); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  at::bernoulli(x, at::cuda::detail::createCUDAGenerator());  // graphgen: allow(graphed-generator)
}
