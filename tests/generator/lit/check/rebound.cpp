// SPDX-License-Identifier: Apache-2.0
//
// Tensors assigned to what outlives a call.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>
#include <map>

#include <tuple>

// CHECK: writes.h:{{[0-9]+}}:49: warning: 'last' is assigned
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { writes::keep(x); }

torch::Tensor global, weights_of_all;

struct Net : torch::nn::Module {
  GRAPHED(x: f32[2]) torch::Tensor leaks(const torch::Tensor& x) {
    // CHECK: rebound.cpp:[[#@LINE+1]]:12: warning: the member 'hidden' is assigned at the capture only, and then shows memory that each replay overwrites [graphed-rebound]
    hidden = x + x;
    // CHECK: :[[#@LINE+1]]:12: warning: 'global' is assigned
    global = hidden.tanh();
    // CHECK: :[[#@LINE+1]]:20: warning: the member 'optional' is assigned
    this->optional = x.tanh();
    // CHECK: :[[#@LINE+1]]:12: warning: the member 'all' is assigned
    all[0] = x.tanh();
    for (torch::Tensor& each : all) {
      // CHECK: :[[#@LINE+1]]:12: warning: the member 'all' is assigned
      each = x.tanh();
    }
    const auto store = [&](const torch::Tensor& y) {
      // CHECK: :[[#@LINE+2]]:14: warning: the member 'hidden' is assigned
      // CHECK: :[[#@LINE+2]]:5: note: called from 'Net::leaks' here
      hidden = y.tanh(); };
    store(x);
    // CHECK: :[[#@LINE+1]]:19: warning: the member 'weight' is assigned
    inner->weight = x.tanh();
    auto copy = inner;
    // CHECK: :[[#@LINE+1]]:18: warning: the member 'weight' is assigned
    copy->weight = x.tanh();
    all.clear();
    // CHECK: :[[#@LINE+1]]:9: warning: the member 'all' is filled at the capture only, and then shows memory that each replay overwrites [graphed-rebound]
    all.push_back(x);
    // CHECK: :[[#@LINE+1]]:9: warning: the member 'all' is filled
    all.insert(all.end(), 2, x.tanh());
    // CHECK: :[[#@LINE+1]]:16: warning: 'by_size' changes when the graph is captured
    by_size[1].emplace_back(x.tanh());
    // CHECK: :[[#@LINE+1]]:11: warning: the member 'masks' is filled
    masks.emplace(1, x.tanh());
    // CHECK: :[[#@LINE+1]]:14: warning: the member 'optional' is filled
    optional.emplace(x.tanh());
    static torch::Tensor held;
    // CHECK: :[[#@LINE+1]]:10: warning: 'held' is assigned
    held = x.tanh();
    return hidden;
  }

  // What the body reads and replaces, calls carry; a tuple of another function is not known to be read.
  GRAPHED(x: f32[2]) void carries(const torch::Tensor& x) {
    hidden = hidden + x;
    const auto next = cell + x;
    std::tie(cell, hidden) = step(next);
    (std::tie(cell, hidden)) = step(next);
    torch::Tensor output;
    // CHECK: rebound.cpp:[[#@LINE+1]]:22: error: the member 'state' is another tensor for each call
    std::tie(output, state) = run(x, state);
    // CHECK: :[[#@LINE+1]]:11: warning: the member 'state' is assigned
    state = step(x);
    const auto [first, second] = step(hidden + x);
    hidden = first;
    cell = second;
    const auto [form, other] = std::make_pair(torch::zeros_like(hidden), 1);
    hidden = form;
  }

  GRAPHED(x: f32[2], tunes: key) torch::Tensor reads_and_replaces(const torch::Tensor& x, bool tunes) {
    const torch::Tensor target = x - cell * x;
    if (tunes) {
      // CHECK: :[[#@LINE+1]]:14: warning: the member 'hidden' is assigned
      hidden = x.tanh();
    }
    cell = weights.tanh();
    return target + torch::zeros_like(hidden);
  }

  GRAPHED(x: f32[2]) torch::Tensor replaces_what_it_reads_later(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:10: warning: the member 'cell' is assigned at the capture only
    cell = weights.tanh();
    return x - cell * x;
  }

  // Calls carry members that take turns, or that are passed on, whether or not the body reads them.
  GRAPHED(x: f32[2]) void swaps(const torch::Tensor& x) {
    std::swap(hidden, cell);
    torch::Tensor fresh = x.tanh();
    // CHECK: :[[#@LINE+1]]:10: warning: the member 'mask' is assigned
    std::swap(mask, fresh);
    std::exchange(hidden, x.tanh());
    std::vector<torch::Tensor> list = {x.tanh()};
    // CHECK: :[[#@LINE+1]]:9: warning: the member 'all' is assigned
    all.swap(list);
  }
  GRAPHED(x: f32[2]) torch::Tensor swaps_its_own(const torch::Tensor& x) {
    torch::Tensor first = x + x, second = x * x;
    std::swap(first, second);
    return std::exchange(first, second);
  }
  std::tuple<torch::Tensor, std::tuple<torch::Tensor, torch::Tensor>> run(const torch::Tensor& x, std::tuple<torch::Tensor, torch::Tensor> given);
  std::tuple<torch::Tensor, torch::Tensor> step(const torch::Tensor& x);

  // What is made once, what depends on shapes only, and what does not outlive the call.
  GRAPHED(x: f32[2], fast: key) torch::Tensor safe(torch::Tensor x, bool fast) {
    if (!hidden.defined()) {
      hidden = x.tanh();
      cell = hidden + x;
    }
    mask = torch::zeros({x.size(0)});
    mask = torch::zeros_like(x);
    mask = mask.to(x.device());
    if (length != x.size(0)) {
      mask = torch::zeros({x.size(0)});
      length = x.size(0);
    }
    x = x.tanh();
    torch::Tensor y;
    y = x + x;
    torch::Tensor& reference = y;
    reference = x;
    const auto change = [&y](const torch::Tensor& z) { y = z; };
    change(x);
    Net other;
    other.hidden = y;
    other.set(y);
    std::vector<torch::Tensor> list = all;
    for (torch::Tensor& each : list) {
      each = y;
    }
    list[0] = y;
    list.clear();
    list.push_back(y);
    Net().all.push_back(y);
    if (masks.count(2) == 0) {
      masks.emplace(2, y);
    }
    masks.emplace(3, torch::zeros_like(x));
    if (!cell.defined() || cell.size(0) < y.size(0)) {
      extend(y.size(0));
    }
    hidden.add_(y);
    mask[0] = y[0];
    return y;
  }
  void extend(std::int64_t length) { cell = (weights + weights).reshape({length}); }
  // CHECK: :[[#@LINE+2]]:45: warning: the member 'hidden' is assigned
  // CHECK: :[[#@LINE+2]]:65: note: called from 'Net::by_a_method' here
  void set(const torch::Tensor& y) { hidden = y; }
  GRAPHED(x: f32[2]) void by_a_method(const torch::Tensor& x) { set(x); }

  struct Inner {
    torch::Tensor weight;
  };
  torch::Tensor hidden, cell, mask, weights;
  std::optional<torch::Tensor> optional;
  std::vector<torch::Tensor> all;
  std::map<int, torch::Tensor> masks;
  std::map<int, std::vector<torch::Tensor>> by_size;
  std::tuple<torch::Tensor, torch::Tensor> state;
  std::shared_ptr<Inner> inner;
  std::int64_t length;
};

GRAPHED(x: f32[2]) torch::Tensor carries_a_global(const torch::Tensor& x) {
  const torch::Tensor y = x * global;
  // CHECK: :[[#@LINE+1]]:10: error: 'global' is another tensor for each call, and each call reads the last one's, which a graph cannot follow; write into it with 'copy_' [graphed-rebound]
  global = weights_of_all.tanh();
  // CHECK: :[[#@LINE+1]]:18: error: 'weights_of_all' is another tensor for each call, made from the last one, which a graph cannot follow [graphed-rebound]
  weights_of_all = weights_of_all + x;
  return y;
}

// Each call looks at what such an object holds, and returns it.
struct Learner {
  struct Report {
    torch::Tensor loss, reward;
  };
  GRAPHED(x: f32[2]) void learns(const torch::Tensor& x) {
    state = state + x;
    last = x.tanh();
    report = {x + x, x * x};
    std::swap(last, state);
    pair = std::make_tuple(x.tanh(), last);
  }
  GRAPHED(x: f32[2]) void counts(const torch::Tensor& x) {
    state = state * x;
    // CHECK: :[[#@LINE+1]]:10: warning: the member 'last' is assigned at the capture only
    last = x.tanh();
    steps = 2;
  }
  torch::Tensor state, last;
  Report report;
  std::tuple<torch::Tensor, torch::Tensor> pair;
  int steps = 0;
};

// CHECK: :[[#@LINE+1]]:87: error: the argument 'x' is made another tensor, which ends a capture; write into it with 'copy_', or leave out 'inplace', so that each call gives the new one back [graphed-rebound]
GRAPHED(x: f32[2] inplace) void to_an_argument(torch::Tensor& x) { torch::relu_(x); x = x + x; }

// CHECK: :[[#@LINE+2]]:62: error: the argument 'x' is made another tensor
// CHECK: :[[#@LINE+2]]:68: note: called from 'to_a_reference' here
void doubled(torch::Tensor& out) { static_cast<void>(0); out = out + out; }
GRAPHED(x: f32[2] inplace) void to_a_reference(torch::Tensor& x) { doubled(x); }

// The same body with an argument and with a local variable.
template <class T>
void store(T& out, const torch::Tensor& y) {
  // CHECK: :[[#@LINE+2]]:7: error: the argument 'x' is made another tensor
  // CHECK: note: called from 'in_a_template' here
  out = y;
}
GRAPHED(x: f32[2] inplace) void in_a_template(torch::Tensor& x) {
  torch::Tensor y;
  store(y, x);
  store(x, y);
}

#define KEEP(tensor) global = (tensor).tanh()
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: warning: 'global' is assigned
  // CHECK: note: expanded from macro 'KEEP'
  KEEP(x);
}

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  global = x.tanh();  // graphgen: allow(graphed-rebound)
}
GRAPHED(x: f32[2]; allow = graphed-rebound) void allowed(const torch::Tensor& x) { global = x.tanh(); }
