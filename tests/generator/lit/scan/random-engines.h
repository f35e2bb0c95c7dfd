// SPDX-License-Identifier: Apache-2.0
//
// Engines and distributions of random numbers are objects: each draw changes them.
// RUN: split-file %s %t
// RUN: graphgen --print %t/good.h %flags | FileCheck %t/good.h
// RUN: not graphgen --check %t/bad.h %flags 2>&1 | FileCheck %t/bad.h --implicit-check-not=error:
//--- good.h
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
#include <random>
// CHECK: constexpr const char* names_of_arguments[] = {"a", "b", "c", "d", "e"};
GRAPHED(x: f32[2], a: object, b: object, c: object, d: object, e: object)
inline torch::Tensor passes_on(const torch::Tensor& x, std::mt19937& a, std::mt19937_64* b, const std::default_random_engine& c,
                               std::normal_distribution<float>& d, std::shared_ptr<std::minstd_rand> e) { return x + 1; }
//--- bad.h
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
#include <random>
// CHECK: error: parameter 'rng' has type 'std::mt19937', which each call copies, so that each draws the same numbers: take it by reference, as 'object' [graphed-parameter-type]
GRAPHED(x: f32[2], rng: object)
torch::Tensor by_value(const torch::Tensor& x, std::mt19937 rng);
// CHECK: error: {{.*}}'rng'{{.*}} [graphed-unmarked-parameter]
GRAPHED(x: f32[2])
torch::Tensor unmarked(const torch::Tensor& x, std::mt19937& rng);
