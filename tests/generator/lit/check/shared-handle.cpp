// SPDX-License-Identifier: Apache-2.0
//
// A c10::Dict or c10::List that the callable is given shares its elements with the caller's.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <string>

using torch::Tensor;
using Dict = c10::Dict<std::string, Tensor>;
using List = c10::List<Tensor>;

GRAPHED(data: {positions: f32[6, 3]})
Tensor energy(Dict data) {
  // CHECK: shared-handle.cpp:[[#@LINE+1]]:8: error: 'insert' changes the argument 'data', whose elements the caller has as well: replays leave them as they are; change a 'copy()' and return it [graphed-unmarked-write]
  data.insert("distances", data.at("positions").tanh());
  return data.at("distances");
}
GRAPHED(data: {positions: f32[6, 3], distances: f32[6, 3]})
Tensor rewritten(const Dict& data) {
  Dict same = data;
  // CHECK: :[[#@LINE+1]]:8: error: 'insert_or_assign' changes the argument 'data'
  same.insert_or_assign("distances", data.at("positions").tanh());
  for (const auto& each : data) {
    // CHECK: :[[#@LINE+1]]:10: {{error|warning}}: 'setValue' changes the argument 'data'
    each.setValue(data.at("positions").tanh());
  }
  return same.at("distances");
}
GRAPHED(data: {positions: f32[6, 3]})
Tensor erased(Dict data) {
  const Tensor p = data.at("positions");
  if (data.contains("distances")) {
    // CHECK: :[[#@LINE+1]]:10: warning: 'erase' changes the argument 'data'
    data.erase("positions");
  }
  return p.tanh();
}
// CHECK: :[[#@LINE+2]]:44: error: 'push_back' changes the argument 'xs'
// CHECK: note: called from 'appended' here
void append(List to, const Tensor& x) { to.push_back(x.tanh()); }
GRAPHED(xs: f32[6] * 2)
Tensor appended(List xs) {
  append(xs, xs.get(0));
  // CHECK: :[[#@LINE+1]]:6: error: 'set' changes the argument 'xs'
  xs.set(0, xs.get(1).tanh());
  // CHECK: :[[#@LINE+1]]:9: error: '=' changes the argument 'xs'
  xs[0] = xs.get(1).tanh();
  return xs.get(0);
}
struct Batch {
  Dict data;
  List xs;
};
GRAPHED(batch: {data: {positions: f32[6, 3]}, xs: f32[6] * 2})
Tensor of_struct(const Batch& batch) {
  List xs = batch.xs;
  // CHECK: :[[#@LINE+1]]:6: error: 'set' changes the argument 'batch'
  xs.set(1, xs.get(0).tanh());
  return xs.get(1);
}

// Copies, and handles of the call's own.
GRAPHED(data: {positions: f32[6, 3]}, xs: f32[6] * 2)
Tensor safe(Dict data, List xs) {
  Dict copied = data.copy();
  copied.insert("distances", data.at("positions").tanh());
  List own;
  own.push_back(xs.get(0).tanh());
  List other = xs.copy();
  other.set(0, xs.get(1).tanh());
  return copied.at("distances");
}
