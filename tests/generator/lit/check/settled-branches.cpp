// SPDX-License-Identifier: Apache-2.0
//
// What the warm-ups do for good, and branches that look the same and are taken again.
// RUN: graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>

struct Table {
  torch::Tensor values;
};

struct Settled {
  GRAPHED(x: f32[2]) torch::Tensor tensor(const torch::Tensor& x) {
    if (!table.defined() || table.size(0) != x.size(0)) {
      table = torch::zeros({2}).to(x.device());
    }
    if (!other.defined()) {
      const torch::Tensor half = torch::ones({2}).to(x.device());
      other = half.tanh();
    }
    return x + table;
  }
  GRAPHED(x: f32[2]) void number(const torch::Tensor& x) {
    if (!scale) {
      scale = weight.item<double>();
    }
    if (!held.has_value()) {
      held = weight.item<double>();
    }
    if (factor == std::nullopt) {
      factor.emplace(weight.item<double>());
    }
  }
  GRAPHED(x: f32[2]) void flag(const torch::Tensor& x) {
    if (!built) {
      build(x);
    }
    const bool isFirst = !made;
    if (isFirst && ready) {
      made = std::make_unique<Table>();
      first = weight.tanh();
      ++builds;
    }
    static bool isOver = false;
    if (!isOver) {
      isOver = true;
      second = torch::zeros({2}).to(x.device());
    }
    if (unset) {
      unset = false;
      third = weight.tanh();
    }
  }
  void build(const torch::Tensor& x) {
    sine = weight.tanh();
    cosine = torch::zeros({2}).to(x.device());
    built = true;
  }
  GRAPHED(x: f32[2]) torch::Tensor returned(const torch::Tensor& x) {
    lazily(x);
    return x + fourth;
  }
  void lazily(const torch::Tensor& x) {
    if (filled) return;
    fourth = weight.tanh();
    filled = true;
  }
  GRAPHED(x: f32[2], length: key) torch::Tensor mapped(const torch::Tensor& x, int length) {
    auto it = tables.find(length);
    if (it == tables.end()) {
      it = tables.emplace(length, torch::zeros({2}).to(x.device())).first;
    }
    if (tables.count(1) == 0) {
      tables[1] = torch::ones({2}).to(x.device());
    }
    return x + it->second;
  }
  // A copy of another list fills, and so does what is inserted.
  GRAPHED(x: f32[2]) void copied(const torch::Tensor& x) {
    if (list.empty()) {
      list = parts;
      fifth = torch::zeros({2}).to(x.device());
      snapshot = parts;
    }
    if (counted.size() != parts.size()) {
      counted = parts;
      seventh = torch::zeros({2}).to(x.device());
    }
    if (written.size() == 0) {
      written = {torch::zeros({2}).to(x.device())};
    }
    if (doubled.empty()) {
      std::vector<torch::Tensor> copy = parts;
      std::copy(copy.begin(), copy.end(), std::back_inserter(doubled));
      sixth = torch::zeros({2}).to(x.device());
    }
  }
  std::vector<torch::Tensor> parts, list, snapshot, written, doubled, counted;
  torch::Tensor fifth, sixth, seventh;
  bool built = false, filled = false, unset = true;
  const bool ready = true;
  int builds = 0;
  std::unique_ptr<Table> made;
  std::optional<double> scale, held, factor;
  std::map<int, torch::Tensor> tables;
  torch::Tensor table, other, weight, first, second, third, fourth, sine, cosine;
};

// By sizes, as a rotary embedding's.
struct Rotary {
  explicit Rotary(std::int64_t most) { fill(most); }
  GRAPHED(x: f32[2]) torch::Tensor longer(const torch::Tensor& x) {
    const std::int64_t length = x.size(0);
    if (length > cached) fill(length);
    if (size != x.size(0)) {
      size = x.size(0);
      exact = frequencies.tanh();
    }
    if (x.size(0) > most) {
      most = std::max<std::int64_t>(x.size(0), 512);
      doubled = frequencies.tanh();
    }
    return x + cosine;
  }
  void fill(std::int64_t length) {
    cached = length;
    cosine = frequencies.tanh();
    sine = frequencies.tanh();
  }
  std::int64_t cached = 0, size = 0, most = 0;
  torch::Tensor frequencies, cosine, sine, exact, doubled;
};

// Sizes and keys that take turns: each change comes to the branch again.
struct Turns {
  GRAPHED(x: f32[N, 8], y: f32[2]; N in {2, 4}) void sizes(const torch::Tensor& x, const torch::Tensor& y) {
    if (size != x.size(0)) {
      size = x.size(0);
      // CHECK: settled-branches.cpp:[[#@LINE+1]]:33: warning: 'to' copies a tensor of the host
      table = torch::randn({2}).to(x.device());
    }
    if (!mask.defined() || mask.size(0) != x.size(0)) {
      // CHECK: :[[#@LINE+1]]:32: warning: 'to' copies a tensor of the host
      mask = torch::randn({2}).to(x.device());
    }
    const auto sum = x + x;
    if (width != sum.size(1)) {
      width = sum.size(1);
      // CHECK: :[[#@LINE+1]]:32: warning: 'to' copies a tensor of the host
      wide = torch::randn({2}).to(x.device());
    }
    // The same for all, grown once, or made from sizes alone.
    if (!fixed.defined() || fixed.size(0) != y.size(0)) {
      fixed = torch::zeros({2}).to(x.device());
    }
    if (x.size(0) > longest) {
      longest = x.size(0);
      grown = torch::zeros({2}).to(x.device());
    }
    if (ones.size(0) != x.size(0)) {
      ones = torch::zeros({x.size(0)}, x.device());
    }
  }
  GRAPHED(x: f32[2], n: key, m: const) void keys(const torch::Tensor& x, int n, int m) {
    if (count != n) {
      count = n;
      // CHECK: :[[#@LINE+1]]:33: warning: 'to' copies a tensor of the host
      table = torch::randn({2}).to(x.device());
    }
    if (constant != m) {
      constant = m;
      table = torch::zeros({2}).to(x.device());
    }
  }
  GRAPHED(x: f32[2]) GRAPHED(x: f32[4]) void annotations(const torch::Tensor& x) {
    if (length != x.size(0)) {
      length = x.size(0);
      // CHECK: :[[#@LINE+1]]:33: warning: 'to' copies a tensor of the host
      table = torch::randn({2}).to(x.device());
    }
  }
  std::int64_t size = 0, width = 0, longest = 0, length = 0;
  int count = 0, constant = 0;
  torch::Tensor table, mask, wide, fixed, grown, ones;
};

struct Again {
  GRAPHED(x: f32[2]) void counts(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:9: warning: 'steps' changes
    if (++steps % 100 == 0) {
      // CHECK: :[[#@LINE+1]]:14: warning: the member 'target' is assigned at the capture only
      target = weight.tanh();
    }
    if (steps != last) {
        last = steps;
      // CHECK: :[[#@LINE+1]]:14: warning: the member 'recent' is assigned at the capture only
      recent = weight.tanh();
    }
  }
  GRAPHED(x: f32[2]) void toggles(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:17: warning: 'dirty' changes
    if (!(dirty = !dirty)) {
      // CHECK: :[[#@LINE+1]]:15: warning: the member 'toggled' is assigned at the capture only
      toggled = weight.tanh();
    }
    if (!even) {
      // CHECK: :[[#@LINE+1]]:15: warning: the member 'toggled' is assigned at the capture only
      toggled = weight.tanh();
      // CHECK: :[[#@LINE+1]]:12: warning: 'even' changes
      even = !even;
    }
  }
  GRAPHED(x: f32[2]) void invalidated(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:10: warning: 'built' is read
    if (!built) {
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
      built = true;
    }
  }
  GRAPHED(x: f32[2]) void dropped(const torch::Tensor& x) {
    if (!kept.defined()) {
      // CHECK: :[[#@LINE+1]]:32: warning: 'to' copies a tensor of the host
      kept = torch::randn({2}).to(x.device());
    }
    if (!scale) {
      // CHECK: :[[#@LINE+1]]:22: warning: 'item' reads
      scale = weight.item<double>();
    }
  }
  void load(const torch::Tensor& given) {
    built = false;
    kept = torch::Tensor();
    scale.reset();
  }
  GRAPHED(x: f32[2]) void undone(const torch::Tensor& x) {
    if (!busy) {
      busy = true;
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
    }
    busy = false;
  }
  // Emptied in the branch, or elsewhere.
  GRAPHED(x: f32[2]) void emptied(const torch::Tensor& x) {
    if (list.empty()) {
      list = {};
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
    }
    if (dropped_list.empty()) {
      dropped_list = parts;
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
    }
  }
  GRAPHED(x: f32[2]) void shorter(const torch::Tensor& x) {
    if (short_list.size() < parts.size()) {
      short_list = {x};
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
    }
  }
  std::vector<torch::Tensor> short_list;
  void drop() { dropped_list.clear(); }
  std::vector<torch::Tensor> list, dropped_list, parts;
  // The condition stays true.
  GRAPHED(x: f32[2], n: key) void stays(const torch::Tensor& x, int n) {
    if (there.defined()) {
      // CHECK: :[[#@LINE+1]]:33: warning: 'to' copies a tensor of the host
      there = torch::randn({2}).to(x.device());
    }
    if (n >= length) {
      length = n;
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
    }
    if (n != width) {
      width = 0;
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
    }
    if (!made) {
      made = nullptr;
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
    }
    if (!off || n == 1) {
      off = true;
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
    }
  }
  // Of another object than the one that is asked.
  GRAPHED(x: f32[2]) void others(const torch::Tensor& x) {
    if (!mine) {
      peer->mine = true;
      // CHECK: :[[#@LINE+1]]:16: warning: the member 'computed' is assigned at the capture only
      computed = weight.tanh();
    }
  }
  int steps = 0, last = 0, length = 0, width = 0;
  bool dirty = false, even = false, built = false, busy = false, off = false, mine = false;
  std::optional<double> scale;
  std::unique_ptr<Table> made;
  Again* peer = nullptr;
  torch::Tensor weight, target, recent, toggled, computed, kept, there;
};

// By what an insertion says.
struct Inserted : torch::nn::Module {
  GRAPHED(x: f32[2], n: key) void fresh(const torch::Tensor& x, int n) {
    auto [place, is_new] = tables.try_emplace(n);
    if (is_new) {
      place->second = torch::zeros({2}).to(x.device());
    }
    if (auto [other, is_other] = tables.insert({n + 1, torch::Tensor()}); is_other) {
      other->second = torch::zeros({2}).to(x.device());
    }
    const auto put = tables.emplace(x.size(0), torch::Tensor());
    if (put.second) {
      put.first->second = torch::zeros({2}).to(x.device());
    }
    const bool is_first = tables.emplace(7, torch::Tensor()).second;
    if (is_first) {
      torch::zeros({2}).to(x.device());
    }
  }
  GRAPHED(x: f32[2], n: key) torch::Tensor known(const torch::Tensor& x, int n) {
    auto [place, is_new] = tables.try_emplace(n);
    if (!is_new) {
      return x + place->second;
    }
    place->second = torch::zeros({2}).to(x.device());
    return x + place->second;
  }
  // A key that changes, a map that is emptied, and the side that later calls take.
  GRAPHED(x: f32[2], n: key) void again(const torch::Tensor& x, int n) {
    auto [place, is_new] = tables.try_emplace(turn);
    if (is_new) {
      // CHECK: :[[#@LINE+1]]:41: warning: 'to' copies a tensor of the host
      place->second = torch::randn({2}).to(x.device());
    }
    auto [other, is_other] = emptied.try_emplace(n);
    if (is_other) {
      // CHECK: :[[#@LINE+1]]:41: warning: 'to' copies a tensor of the host
      other->second = torch::randn({2}).to(x.device());
    }
    auto [third, is_third] = tables.try_emplace(n);
    if (!is_third) {
      // CHECK: :[[#@LINE+1]]:41: warning: 'to' copies a tensor of the host
      third->second = torch::randn({2}).to(x.device());
    }
    if (third->first) {
      // CHECK: :[[#@LINE+1]]:25: warning: 'to' copies a tensor of the host
      torch::randn({2}).to(x.device());
    }
  }
  void forget() {
    emptied.clear();
    ++turn;
  }
  std::map<int, torch::Tensor> tables, emptied;
  int turn = 0;
};
