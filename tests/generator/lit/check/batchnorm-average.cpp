// SPDX-License-Identifier: Apache-2.0
//
// Batch normalisation with a cumulative average.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

using torch::nn::BatchNorm1d;
using torch::nn::BatchNorm1dOptions;

in_header::Averaged averaged;

// CHECK: sync.h:{{[0-9]+}}:60: warning: batch normalisation with a cumulative average reads its count on the host while it trains, which a graph cannot do [graphed-batchnorm-average]
// CHECK: sync.h:{{[0-9]+}}:64: note: the average is chosen here
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2, 8]) void in_a_header(const torch::Tensor& x) { averaged.run(x); }

struct NetImpl : torch::nn::Module {
  NetImpl()
      : first(BatchNorm1dOptions(8).eps(0.5).momentum(std::nullopt)),
        layers(BatchNorm1d(BatchNorm1dOptions(8).momentum(c10::nullopt))) {
    third = BatchNorm1d(BatchNorm1dOptions(8).momentum(std::nullopt));
  }
  GRAPHED(x: f32[2, 8]) void run(const torch::Tensor& x) {
    // CHECK: batchnorm-average.cpp:[[#@LINE+2]]:5: warning: batch normalisation with a cumulative average reads its count on the host while it trains, which a graph cannot do [graphed-batchnorm-average]
    // CHECK: :[[#@LINE-6]]:46: note: the average is chosen here
    first(x);
    // CHECK: :[[#@LINE+2]]:13: warning: batch normalisation with
    // CHECK: :[[#@LINE-8]]:50: note: the average is chosen here
    layers->forward(x);
    // CHECK: :[[#@LINE+2]]:12: warning: batch normalisation with
    // CHECK: :[[#@LINE-10]]:47: note: the average is chosen here
    third->forward(x);
  }
  BatchNorm1d first;
  torch::nn::Sequential layers;
  BatchNorm1d third{8};

};

// With a momentum.
struct SafeImpl : torch::nn::Module {
  SafeImpl() : first(BatchNorm1dOptions(8).momentum(0.1)), second(8) {}
  GRAPHED(x: f32[2, 8]) void run(const torch::Tensor& x) {
    first(x);
    second->forward(x);
  }
  BatchNorm1d first, second;
};

#define RUN(module, tensor) module->forward(tensor)
GRAPHED(x: f32[2, 8]) void in_a_macro(const torch::Tensor& x) {
  static BatchNorm1d norm(BatchNorm1dOptions(8).momentum(std::nullopt));
  // CHECK: :[[#@LINE+3]]:3: warning: batch normalisation with
  // CHECK: :[[#@LINE-4]]:37: note: expanded from macro 'RUN'
  // CHECK: :[[#@LINE-3]]:49: note: the average is chosen here
  RUN(norm, x);
}

template <int64_t Features>
struct Block {
  // CHECK: :[[#@LINE+3]]:44: warning: batch normalisation with
  // CHECK: :[[#@LINE+3]]:49: note: the average is chosen here
  // CHECK: note: called from 'in_a_template' here
  void run(const torch::Tensor& x) { norm->forward(x); }
  BatchNorm1d norm{BatchNorm1dOptions(Features).momentum(std::nullopt)};
};
Block<8> block;
GRAPHED(x: f32[2, 8]) void in_a_template(const torch::Tensor& x) { block.run(x); }

GRAPHED(x: f32[2, 8]; allow = graphed-batchnorm-average) void silenced(const torch::Tensor& x) { averaged.run(x); }
