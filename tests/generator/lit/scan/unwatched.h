// SPDX-License-Identifier: Apache-2.0
//
// Members that a body may name and that generated code cannot reach.
// RUN: graphgen --print %s %flags 2>&1 >%t | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=CODE < %t
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <any>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <stack>
#include <utility>
#include <vector>

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
  std::pair<Layer, NetImpl*> pair_;
  // CHECK: :[[#@LINE+1]]:12: warning: calls of 'learn' do not notice a change of 'bit_': it is a bit-field that is not public [graphed-unwatched]
  unsigned bit_ : 1;
  // CHECK: :[[#@LINE+2]]:12: warning: calls of 'learn' do not notice a change of 'unnamed_.rate': its class has no name [graphed-unwatched]
  struct {
    double rate;
  } unnamed_;
  double factor_ = 1;
};
// CODE: constexpr const char* watched_names[] = {"pair_[0].gain", "pair_[1]", "factor_"};

// Not reported of what no body names.
struct Seen {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) { return x; }
  struct Impl;
  std::unique_ptr<Impl> impl;
};
// CODE: namespace graphed::seen_run_glue

// What no call can compare.
struct Opaque {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) {
    torch::Tensor y = x.index({rows}) * *next * later.get();
    return rates[0] + gain() > 1 && held.has_value() && list.size() > 1 && texts[0] && !bits.empty() && !path.empty() ? act(y) : then(y);
  }
  // CHECK: :[[#@LINE+1]]:11: warning: calls of 'run' do not notice a change of 'rates': it is a pointer to numbers, which does not say how many there are
  double* rates;
  // CHECK: :[[#@LINE+1]]:27: warning: calls of 'run' do not notice a change of 'gain': the number that it returns is not compared
  std::function<double()> gain;
  // CHECK: :[[#@LINE+1]]:12: warning: calls of 'run' do not notice a change of 'held': no call can compare what it holds
  std::any held;
  // CHECK: :[[#@LINE+1]]:21: warning: calls of 'run' do not notice a change of 'list': it is one of TorchScript's values, whose elements are not compared
  c10::List<double> list;
  // CHECK: :[[#@LINE+1]]:19: warning: calls of 'run' do not notice a change of 'bits': it does not show its elements
  std::stack<int> bits;
  // CHECK: :[[#@LINE+1]]:25: warning: calls of 'run' do not notice a change of 'path': its text is not compared; hold a std::string
  std::filesystem::path path;
  // CHECK: :[[#@LINE+1]]:26: warning: calls of 'run' do not notice a change of 'rows': its numbers are not compared; hold integers
  torch::indexing::Slice rows;
  // CHECK: :[[#@LINE+1]]:33: warning: calls of 'run' do not notice a change of 'next': it is an iterator, and what it points to is not compared
  std::vector<double>::iterator next;
  // CHECK: :[[#@LINE+1]]:23: warning: calls of 'run' do not notice a change of 'later': no call can compare what it will hold
  std::future<double> later;
  const char* texts[2];
  std::function<torch::Tensor(torch::Tensor)> act;
  torch::Tensor (*then)(const torch::Tensor&);
};
// CODE: constexpr const char* watched_names[] = {"texts", "act", "then"};
