// SPDX-License-Identifier: Apache-2.0
//
// The places of tensors, through variables of options, functions, tuples and lists; what an index is by, through variables.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <ATen/Functions.h>
#include <check/factories.h>
#include <check/sync.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <functional>
#include <tuple>
#include <vector>

using torch::Tensor;

GRAPHED(x: f32[8]) void options_in_a_variable(const Tensor& x) {
  float values[8] = {};
  const auto floats = torch::TensorOptions().dtype(torch::kFloat);
  // CHECK: tensors.cpp:[[#@LINE+2]]:46: warning: 'to' copies a tensor of the host to the device, which a graph can do of constants only [graphed-host-memory]
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  at::from_blob(values, {8}, floats).clone().to(x.device());
  auto there = floats.device(x.device());
  at::zeros({8}, there).clone().to(x.device());
  there = there.device(torch::kCPU);
  // CHECK: :[[#@LINE+1]]:7: warning: a tensor is made on the host
  at::zeros({8}, there);
}

GRAPHED(x: f32[8]) void values_of_the_host(const Tensor& x) {
  float weights[2] = {};
  auto blob = at::from_blob(weights, {2});
  // CHECK: :[[#@LINE+2]]:8: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-2]]:15: note: the tensor is made here
  blob.to(x.device());
}

std::tuple<Tensor, Tensor> both(const Tensor& x) { return {torch::randn({2}), x + x}; }
std::vector<Tensor> several() { return {torch::zeros({2}), torch::randn({2})}; }
GRAPHED(x: f32[8]) void returned(const Tensor& x) {
  const auto [first, second] = both(x);
  // CHECK: :[[#@LINE+2]]:9: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-5]]:60: note: the tensor is made here
  first.to(x.device());
  second.to(x.device());
  // CHECK: :[[#@LINE+2]]:24: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-9]]:60: note: the tensor is made here
  std::get<0>(both(x)).to(x.device());
  const auto all = several();
  // CHECK: :[[#@LINE+2]]:10: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-12]]:60: note: the tensor is made here
  all[1].to(x.device());
}

GRAPHED(x: f32[8], m: bool[8], v: f32[1]) void by_masks(const Tensor& x, const Tensor& m, const Tensor& v) {
  const at::TensorIndex mask = m;
  const std::vector<at::TensorIndex> places = {m};
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask has a shape that depends on the mask's values, which a graph cannot follow [graphed-dynamic-shape]
  x.index(mask);
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index(places);
  auto y = x.clone();
  const Tensor chosen = m;
  // CHECK: :[[#@LINE+1]]:5: error: writing a tensor at a mask needs the places where the mask is set, whose number a graph cannot follow [graphed-dynamic-shape]
  y.index_put_({chosen}, v);
}

// CHECK: :[[#@LINE+4]]:17: error: 'zero_' writes to the argument 'x', which the annotation does not mark 'inplace' [graphed-unmarked-write]
GRAPHED(x: f32[2, 4], y: f32[2, 4], i: i64[2]) void views_and_copies(const Tensor& x, const Tensor& y, const Tensor& i) {
  using at::indexing::Slice;
  const std::vector<at::TensorIndex> rows = {Slice(), 0};
  x.index(rows).zero_();
  x.index({Slice(), i}).zero_();
  x.index({true}).zero_();
  x.to(torch::kLong).zero_();
  x.to(torch::kFloat, false, true).zero_();
  x.transpose(0, 1).contiguous().zero_();
  // CHECK: :[[#@LINE+1]]:34: warning: 'zero_' may write to the argument 'y'
  y.transpose(0, 1).reshape({8}).zero_();
}

struct Cell {
  GRAPHED(x: f32[2]) void carries(const Tensor& x) {
    // CHECK: :[[#@LINE+2]]:14: warning: the member 'output' is assigned
    // CHECK: :[[#@LINE+1]]:22: error: the member 'state' is another tensor for each call, made from the last one, which a graph cannot follow [graphed-rebound]
    std::tie(output, state) = run(x, state);
    std::vector<Tensor> list = {x.tanh()};
    all.swap(list);
  }
  GRAPHED(x: f32[2]) void refers(const Tensor& x) {
    for (Tensor& each : {std::ref(state), std::ref(other)}) {
      each = x.tanh();
    }
  }
  static std::tuple<Tensor, Tensor> run(const Tensor& x, Tensor given);
  Tensor output, state, other;
  std::vector<Tensor> all;
};

GRAPHED(x: f32[2], w: f32[2]) void overwrites_elements(const Tensor& x, const Tensor& w) {
  std::vector<Tensor> list{x, w};
  for (Tensor& each : list) {
    each = each.clone();
  }
  // CHECK: :[[#@LINE+1]]:11: warning: 'zero_' may write to the argument 'x'
  list[0].zero_();
}
