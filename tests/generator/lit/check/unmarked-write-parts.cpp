// SPDX-License-Identifier: Apache-2.0
//
// Tensors of others in what a call makes: tuples, pairs, arrays, lists and aggregates.
// RUN: not graphgen --check --diagnostics-format=json %s %flags -fno-caret-diagnostics | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

using torch::Tensor;

Tensor global;

GRAPHED(x: f32[2], w: f32[2] inplace) void tuples(Tensor x, Tensor w) {
  auto t = std::make_tuple(x, w);
  // CHECK: unmarked-write-parts.cpp:[[#@LINE+1]]:18: error: 'add_' writes to the argument 'x', which the annotation does not mark 'inplace' [graphed-unmarked-write]
  std::get<0>(t).add_(global);
  std::get<1>(t).add_(global);
  const std::pair<Tensor, int> p(x, 1);
  // CHECK: :[[#@LINE+1]]:11: error: 'mul_' writes to the argument 'x'
  p.first.mul_(2);
  // CHECK: :[[#@LINE+1]]:23: error: 'mul_' writes to the argument 'x'
  std::get<Tensor>(p).mul_(2);
  auto copy = t;
  // CHECK: :[[#@LINE+1]]:21: error: 'zero_' writes to the argument 'x'
  std::get<0>(copy).zero_();
  // CHECK: :[[#@LINE+1]]:37: error: 'zero_' writes to the argument 'x'
  std::get<1>(std::make_pair(w, x)).zero_();
  auto [a, b] = t;
  // CHECK: :[[#@LINE+1]]:5: error: 'zero_' writes to the argument 'x'
  a.zero_();
  b.zero_();
  const auto& [c, d] = std::make_pair(w, x[0]);
  c.zero_();
  // CHECK: :[[#@LINE+1]]:5: error: 'zero_' writes to the argument 'x'
  d.zero_();
}

// A reference among the parts: assigning to it assigns to what it is made of.
GRAPHED(x: f32[2]) void references(const Tensor& x) {
  auto t = std::tie(global, x);
  // CHECK: :[[#@LINE+1]]:18: warning: 'global' is assigned at the capture only
  std::get<0>(t) = x.tanh();
  // CHECK: :[[#@LINE+1]]:36: error: 'zero_' writes to the argument 'x'
  std::get<1>(std::tie(global, x)).zero_();
}

struct State {
  Tensor a;
  Tensor b = {};
};
struct Nested {
  State state;
  Tensor* out;
};
class Kept {
 public:
  explicit Kept(Tensor given, int steps) : tensor(std::move(given)), steps(steps) {}
  void clear() {
    // CHECK: :[[#@LINE+2]]:12: error: 'zero_' writes to the argument 'x'
    // CHECK: note: called from 'members' here
    tensor.zero_();
  }
  Tensor tensor;
  int steps;
};

GRAPHED(x: f32[2], w: f32[2] inplace) void members(Tensor x, Tensor w) {
  State s{x, w};
  // CHECK: :[[#@LINE+1]]:7: error: 'mul_' writes to the argument 'x'
  s.a.mul_(2);
  s.b.mul_(2);
  State* p = &s;
  // CHECK: :[[#@LINE+1]]:8: error: 'mul_' writes to the argument 'x'
  p->a.mul_(2);
  auto& [a, b] = s;
  // CHECK: :[[#@LINE+1]]:5: error: 'zero_' writes to the argument 'x'
  a.zero_();
  b.zero_();
  const Nested n{s, &x};
  // CHECK: :[[#@LINE+1]]:13: error: 'zero_' writes to the argument 'x'
  n.state.a.zero_();
  n.state.b.zero_();
  // CHECK: :[[#@LINE+1]]:10: error: 'zero_' writes to the argument 'x'
  n.out->zero_();
  Kept kept(x, 1);
  // CHECK: :[[#@LINE+1]]:15: error: 'zero_' writes to the argument 'x'
  kept.tensor.zero_();
  kept.clear();
  // CHECK: :[[#@LINE+1]]:14: error: 'zero_' writes to the argument 'x'
  State{x}.a.zero_();
}

GRAPHED(x: f32[2], w: f32[2] inplace, i: key) void lists(Tensor x, Tensor w, int i) {
  std::array<Tensor, 2> v{x, w};
  // CHECK: :[[#@LINE+1]]:8: error: 'mul_' writes to the argument 'x'
  v[0].mul_(2);
  v[1].mul_(2);
  // CHECK: :[[#@LINE+1]]:18: error: 'mul_' writes to the argument 'x'
  std::get<0>(v).mul_(2);
  // CHECK: :[[#@LINE+1]]:8: warning: 'mul_' may write to the argument 'x'
  v[i].mul_(2);
  Tensor plain[] = {w, x};
  plain[0].zero_();
  // CHECK: :[[#@LINE+1]]:12: error: 'zero_' writes to the argument 'x'
  plain[1].zero_();
  const std::vector<Tensor> both = {w, x};
  both.front().zero_();
  // CHECK: :[[#@LINE+1]]:14: error: 'zero_' writes to the argument 'x'
  both.at(1).zero_();
  for (const Tensor& each : both) {
    // CHECK: :[[#@LINE+1]]:10: warning: 'zero_' writes to the argument 'x'
    each.zero_();
  }
  // CHECK: :[[#@LINE+1]]:7: error: '_foreach_add_' writes to the argument 'x'
  at::_foreach_add_(both, 1.0);
}

// Given to other bodies.
void clear_state(const State& given) {
  // CHECK: :[[#@LINE+2]]:11: error: 'zero_' writes to the argument 'x'
  // CHECK: note: called from 'handed_on' here
  given.a.zero_();
  given.b.zero_();
}
void clear_tuple(std::tuple<Tensor, Tensor> given) {
  std::get<0>(given).zero_();
  // CHECK: :[[#@LINE+2]]:22: error: 'zero_' writes to the argument 'x'
  // CHECK: note: called from 'handed_on' here
  std::get<1>(given).zero_();
}
void clear_list(const std::vector<Tensor>& given) {
  for (const Tensor& each : given) {
    // CHECK: :[[#@LINE+2]]:10: warning: 'zero_' writes to the argument 'x'
    // CHECK: note: called from 'handed_on' here
    each.zero_();
  }
  given[0].zero_();
}
GRAPHED(x: f32[2], w: f32[2] inplace) void handed_on(Tensor x, Tensor w) {
  clear_state({x, w});
  clear_tuple({w, x});
  clear_list({w, x});
  const State s{x, w};
  const auto clear = [s] {
    // CHECK: :[[#@LINE+2]]:9: error: 'zero_' writes to the argument 'x'
    // CHECK: note: called from 'handed_on' here
    s.a.zero_();
  };
  clear();
}

// By reference: what is passed on is the same, where no body assigns it.
void clear_both(State& given) {
  // CHECK: :[[#@LINE+2]]:11: error: 'zero_' writes to the argument 'x'
  // CHECK: note: called from 'by_reference' here
  given.a.zero_();
  given.b.zero_();
}
void clear_tensor(Tensor& given) {
  // CHECK: :[[#@LINE+2]]:9: error: 'zero_' writes to the argument 'x'
  // CHECK: note: called from 'by_reference' here
  given.zero_();
}
template <class T>
void clear_any(T& given) {
  // CHECK: :[[#@LINE+2]]:9: error: 'zero_' writes to the argument 'x'
  // CHECK: note: called from 'by_reference' here
  given.zero_();
}
GRAPHED(x: f32[2], w: f32[2] inplace) void by_reference(Tensor x, Tensor w) {
  State s{x, w};
  clear_both(s);
  // CHECK: :[[#@LINE+1]]:7: error: 'zero_' writes to the argument 'x'
  s.a.zero_();
  clear_tensor(x);
  clear_any(x);
  // CHECK: :[[#@LINE+1]]:5: error: 'zero_' writes to the argument 'x'
  x.zero_();
}
void refill(State& given) { given.a = given.a.clone(); }
void refill_tensor(Tensor& given) { given = given.clone(); }
template <class T>
void refill_any(T& given) {
  given = given.clone();
}
GRAPHED(x: f32[2], w: f32[2], v: f32[2]) void refilled(Tensor x, Tensor w, Tensor v) {
  State s{x};
  refill(s);
  s.a.zero_();
  refill_tensor(w);
  w.zero_();
  refill_any(v);
  v.zero_();
}

// Parts that come to be others, and tensors of the call.
void replace(Tensor& given);
GRAPHED(x: f32[2], w: f32[2], p: {a: f32[2], b: f32[2]}, xs: f32[2] * 2, i: key)
void safe(Tensor x, Tensor w, State p, std::vector<Tensor> xs, int i) {
  auto t = std::make_tuple(x.clone(), x + w);
  std::get<0>(t).zero_();
  auto u = std::make_pair(x, w);
  std::get<0>(u) = x + w;
  u.first.zero_();
  u.second = w + w;
  std::get<1>(u).zero_();
  auto [a, b] = std::make_tuple(x, w);
  std::tie(a, b) = std::make_tuple(x + w, w + x);
  a.zero_();
  State s{x};
  s.a = x.clone();
  s.a.zero_();
  State r{w};
  replace(r.a);
  r.a.zero_();
  State q{x};
  auto& other = q;
  other.a = x + w;
  q.a.zero_();
  p.a = p.a + w;
  p.a.zero_();
  State l{x, w};
  for (Tensor* each : {&l.a, &l.b}) {
    *each = each->clone();
  }
  // CHECK: :[[#@LINE+1]]:7: warning: 'zero_' may write
  l.a.zero_();
  State swapped{x + w, x};
  std::swap(swapped.a, swapped.b);
  swapped.b.zero_();
  std::array<Tensor, 2> v{x, w};
  for (Tensor& each : v) {
    each = each.clone();
  }
  // CHECK: :[[#@LINE+1]]:8: warning: 'zero_' may write
  v[0].zero_();
  v[i].zero_();
  std::vector<Tensor> list{x, w};
  list.clear();
  list.push_back(x + w);
  list[0].zero_();
  xs[0] = x + w;
  xs[0].zero_();
}

// What one member is given says nothing of the other.
GRAPHED(p: {a: f32[2], b: f32[2]}) void of_one(State p) {
  p.a = p.a.tanh();
  p.a.zero_();
  // CHECK: :[[#@LINE+1]]:7: error: 'zero_' writes to the argument 'p.b'
  p.b.zero_();
}

template <class T>
struct Held {
  T value;
};
template <class T>
void clear(Held<T> held) {
  // CHECK: :[[#@LINE+2]]:14: error: 'zero_' writes to the argument 'x'
  // CHECK: note: called from 'in_a_template' here
  held.value.zero_();
}
GRAPHED(x: f32[2]) void in_a_template(const Tensor& x) { clear(Held<Tensor>{x}); }

// Bodies of templates' instances.
template <class T>
class Box {
 public:
  explicit Box(T given) : value(given) {}
  template <class U>
  void add(U other) {
    // CHECK: :[[#@LINE+2]]:11: error: 'add_' writes to the argument 'x'
    // CHECK: note: called from 'in_a_box' here
    value.add_(other);
  }
  void refill() { value = value.clone(); }
  T value;
};
GRAPHED(x: f32[2]) void in_a_box(const Tensor& x) {
  Box<Tensor> box(x);
  box.add(global);
  // CHECK: :[[#@LINE+1]]:13: error: 'zero_' writes to the argument 'x'
  box.value.zero_();
}
GRAPHED(x: f32[2]) void in_a_refilled_box(const Tensor& x) {
  Box<Tensor> box(x);
  box.refill();
  box.value.zero_();
}

GRAPHED(x: f32[2]; allow = graphed-unmarked-write) void silenced(const Tensor& x) { std::get<0>(std::make_tuple(x)).zero_(); }

// What is made of other values: a map of pairs, a pointer to a new one; what an algorithm gives a function.
GRAPHED(x: f32[2], w: f32[2] inplace) void made_of(const Tensor& x, const Tensor& w) {
  std::map<int, Tensor> written{{1, w}};
  written.at(1).zero_();
  std::map<int, Tensor> both{{1, x}, {2, w}};
  // CHECK: :[[#@LINE+1]]:14: warning: 'zero_' may write to the argument 'x'
  both.at(1).zero_();
  // CHECK: :[[#@LINE+1]]:32: error: 'zero_' writes to the argument 'x'
  std::make_unique<Tensor>(x)->zero_();
  std::make_unique<Tensor>(w)->zero_();
}
GRAPHED(xs: f32[2] * 2, ws: f32[2] * 2 inplace) void given_each(const std::vector<Tensor>& xs, const std::vector<Tensor>& ws) {
  // CHECK: :[[#@LINE+2]]:69: warning: 'zero_' writes to the argument 'xs'
  // CHECK: note: called from 'given_each' here
  std::for_each(xs.begin(), xs.end(), [](const Tensor& each) { each.zero_(); });
  std::for_each(ws.begin(), ws.end(), [](const Tensor& each) { each.zero_(); });
}
