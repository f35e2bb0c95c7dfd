// SPDX-License-Identifier: Apache-2.0
//
// State of the host that each call changes, and what is written.
// RUN: graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>
#include <torch/logging.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

int calls = 0;

// CHECK: sync.h:{{[0-9]+}}:17: warning: 'count' changes
// CHECK: note: called from 'Net::run' here
struct Net {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    // CHECK: host-state.cpp:[[#@LINE+1]]:5: warning: 'steps' changes when the graph is captured, not in replays [graphed-host-state]
    ++steps;
    // CHECK: :[[#@LINE+1]]:11: warning: 'calls' changes
    calls += 2;
    // CHECK: :[[#@LINE+1]]:10: warning: 'even' changes
    even = !even;
    // CHECK: :[[#@LINE+1]]:12: warning: 'counted' changes
    counted++;
    // CHECK: :[[#@LINE+1]]:13: warning: 'history' changes
    history.push_back(x);
    // CHECK: :[[#@LINE+1]]:19: warning: 'scratch' changes
    this->scratch.push_back(x);
    // CHECK: :[[#@LINE+1]]:13: warning: 'history' changes
    history.insert(history.begin(), x);
    // CHECK: :[[#@LINE+1]]:13: warning: 'history' changes
    history.erase(history.begin());
    // CHECK: :[[#@LINE+2]]:27: warning: 'local' changes
    static int local = 0;
    if (x.size(0) == 2) { ++local; }
    // CHECK: :[[#@LINE+1]]:15: warning: this is written when the graph is captured, not by replays [graphed-host-state]
    std::cout << "step " << steps << std::endl;
    // CHECK: :[[#@LINE+1]]:10: warning: this is written
    std::printf("step");
    counter.next();
    const int total = steps + 1;
    // CHECK: :[[#@LINE+1]]:11: warning: 'steps' changes
    steps = total;
  }
  int steps = 0;
  bool even = true;
  std::atomic<int> counted{0};
  std::vector<torch::Tensor> history, scratch;
  in_header::Counter counter;
};

// What a call makes, or sets to the same each time; text that is not shown.
struct SafeNet {
  SafeNet() { ++made; }
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) {
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
      sum += i;
    }
    in_header::Counter own;
    own.next();
    auto& shown = own;
    shown.next();
    std::vector<torch::Tensor> parts;
    parts.push_back(x);
    scratch.clear();
    scratch.push_back(x.size(0));
    last_size = x.size(0);
    is_ready = true;
    std::ostringstream text;
    text << "step " << sum;
    const SafeNet other;
    return x;
  }
  std::vector<std::int64_t> scratch;
  int made = 0;
  std::int64_t last_size = 0;
  bool is_ready = false;
};

// What is reported of a failure only, or of a shape.
GRAPHED(x: f32[2]) torch::Tensor complains(const torch::Tensor& x) {
  CHECK(x.size(0) == 2) << "got " << x.sizes();
  TORCH_CHECK_EQ(x.size(0), 2);
  x.defined() ? (void)0 : c10::LoggerVoidify() & (c10::MessageLogger(c10::GLOG_FATAL)).stream() << "got " << x.sizes();
  if (x.size(0) != 2) {
    TORCH_WARN("slow");
    std::cerr << "empty " << x;
  }
  try {
    return x.tanh();
  } catch (const std::exception&) {
    std::cout << "failed " << x;
    ++calls;
    throw;
  }
}
GRAPHED(x: f32[2]) void tells(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: warning: this is written
  // CHECK: note: expanded from macro 'TORCH_WARN'
  TORCH_WARN("slow");
  // CHECK: :[[#@LINE+1]]:13: warning: this is written
  std::cerr << "called";
  // CHECK: :[[#@LINE+2]]:3: warning: this is written
  // CHECK: note: expanded from macro 'LOG'
  LOG(INFO) << "called";
  if (x.size(0) == 2) {
    // CHECK: :[[#@LINE+1]]:15: warning: this is written
    std::cout << "called";
  }
  // CHECK: :[[#@LINE+1]]:13: warning: this is written
  std::cout << x.sizes() << " called";
}

// What is reported once is reported at a warm-up.
GRAPHED(x: f32[2]) void tells_once(const torch::Tensor& x) {
  TORCH_WARN_ONCE("shape ", x.sizes());
  if (x.size(0) == 2) {
    TORCH_WARN_ONCE("slow");
  }
  static std::once_flag flag;
  std::call_once(flag, [&] { std::cout << "shape " << x.sizes(); });
}

// One of two constants, by what the last call left.
struct Turns {
  enum class Kind { even, odd };
  GRAPHED(x: f32[2], wide: key) void takes(const torch::Tensor& x, bool wide) {
    // CHECK: :[[#@LINE+1]]:10: warning: 'kind' changes when the graph is captured
    kind = kind == Kind::even ? Kind::odd : Kind::even;
    size = wide ? 2 : 1;
  }
  Kind kind = Kind::even;
  int size = 0;
};

// Numbers in containers, and what a reference shows.
struct Counters {
  GRAPHED(x: f32[2], name: key) void run(const torch::Tensor& x, const std::string& name) {
    // CHECK: :[[#@LINE+1]]:5: warning: 'by_name' changes
    ++by_name[name];
    // CHECK: :[[#@LINE+1]]:16: warning: 'list' changes
    list.at(1) += 2;
    // CHECK: :[[#@LINE+1]]:17: warning: 'nested' changes
    nested[0][1]++;
    // CHECK: :[[#@LINE+1]]:14: warning: 'array' changes
    array[1] += 1;
    auto& shown = steps;
    // CHECK: :[[#@LINE+1]]:5: warning: 'steps' changes
    ++shown;
    auto& element = list[0];
    // CHECK: :[[#@LINE+1]]:5: warning: 'list' changes
    ++element;
  }
  // Of the call's own, and made again by each.
  GRAPHED(x: f32[2]) void anew(const torch::Tensor& x) {
    std::vector<int> own(3);
    ++own[1];
    int few[2] = {};
    ++few[1];
    int number = 0;
    auto& shown = number;
    ++shown;
    cleared.assign(3, 0);
    ++cleared[1];
    filled = std::vector<int>(3);
    ++filled[1];
    std::fill(list.begin(), list.end(), 0);
    std::fill_n(array, 2, 0);
    steps = 0;
    for (int i = 0; i < 3; ++i) {
      ++list[1];
      array[1] += 1;
      steps += i;
    }
  }
  // Not always, or afterwards.
  GRAPHED(x: f32[2], n: key) void sometimes(const torch::Tensor& x, int n) {
    if (n == 1) {
      total = 0;
    }
    // CHECK: :[[#@LINE+1]]:5: warning: 'total' changes
    ++total;
    // CHECK: :[[#@LINE+1]]:11: warning: 'after' changes
    after += 2;
    after = 0;
    more = more + 0;
    // CHECK: :[[#@LINE-1]]:10: warning: 'more' changes
    // CHECK: :[[#@LINE+1]]:5: warning: 'more' changes
    ++more;
  }
  std::map<std::string, int> by_name;
  std::vector<int> list, cleared, filled;
  std::vector<std::vector<int>> nested;
  int array[2] = {}, steps = 0, total = 0, after = 0, more = 0;
};

// What a stored lambda holds, and one that the call makes.
struct Ramps {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    stored();
    auto own = [step = 0]() mutable { return ++step; };
    own();
    std::function<int()> held = [step = 0]() mutable { return ++step; };
    held();
    int steps = 0;
    given([&steps] { return ++steps; });
  }
  static void given(const std::function<int()>& f) { f(); }
  // CHECK: :[[#@LINE+3]]:63: warning: 'step' changes
  // CHECK: note: stored in 'stored' here
  // CHECK: note: called from 'Ramps::run' here
  std::function<int()> stored = [step = 0]() mutable { return ++step; };
};

#define COUNT(variable) ++variable
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: warning: 'calls' changes
  // CHECK: :[[#@LINE-3]]:25: note: expanded from macro 'COUNT'
  COUNT(calls);
}

template <class Number>
struct Average {
  void add(Number value) {
    // CHECK: :[[#@LINE+2]]:9: warning: 'sum' changes
    // CHECK: note: called from 'Averaging::run' here
    sum += value;
  }
  Number sum = 0;
};
struct Averaging {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) { average->add(1.0); }
  std::shared_ptr<Average<double>> average;
};

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  ++calls;  // graphgen: allow(graphed-host-state)
}

// CHECK: warning: calls of 'run' do not notice a change of 'stored': the number that it returns is not compared [graphed-unwatched]
// CHECK-NEXT: note: 'run' is annotated here
