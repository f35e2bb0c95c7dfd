// SPDX-License-Identifier: Apache-2.0
//
// Members that a body may name and that generated code cannot reach.
// RUN: graphgen --print %s %flags 2>&1 >%t | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=CODE < %t
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>
#include <utility>

struct NetImpl : torch::nn::Module {};
struct Hidden {
  std::shared_ptr<NetImpl> net;
};

class Trainer : Hidden {
 public:
  // CHECK: unwatched.h:[[#@LINE-5]]:28: warning: calls of 'learn' do not notice a change of 'net': it is inherited from a base class that is not public [graphed-unwatched]
  // CHECK: :[[#@LINE+1]]:36: note: 'learn' is annotated here
  GRAPHED(x: f32[2]) torch::Tensor learn(const torch::Tensor& x);

 private:
  struct Impl;
  struct Layer {
    double gain;
  };
  // CHECK: :[[#@LINE+1]]:25: warning: calls of 'learn' do not notice a change of 'impl_': 'Impl' is not defined here [graphed-unwatched]
  std::unique_ptr<Impl> impl_;
  // CHECK: :[[#@LINE+1]]:30: warning: calls of 'learn' do not notice a change of 'pair_': it is a tuple of other things beside modules, tensors and numbers [graphed-unwatched]
  std::pair<Layer, NetImpl*> pair_;
  // CHECK: :[[#@LINE+1]]:12: warning: calls of 'learn' do not notice a change of 'bit_': it is a bit-field that is not public [graphed-unwatched]
  unsigned bit_ : 1;
  // CHECK: :[[#@LINE+2]]:12: warning: calls of 'learn' do not notice a change of 'unnamed_.rate': its class has no name [graphed-unwatched]
  struct {
    double rate;
  } unnamed_;
  double factor_ = 1;
};
// CODE: constexpr const char* watched_names[] = {"factor_"};

// Not reported of what no body names.
struct Seen {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) { return x; }
  struct Impl;
  std::unique_ptr<Impl> impl;
};
// CODE: namespace graphed::seen_run_glue
