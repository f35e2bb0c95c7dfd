// SPDX-License-Identifier: Apache-2.0
//
// Numbers and texts that a call leaves in members and variables, and what it prints.
#include "judge.h"

#include <graphed/annotate.h>

#include <atomic>
#include <cstdio>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace counters {

using namespace judged;

struct Counter : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    ++calls;
    return x * 2;
  }
  Tensors state() const override { return {number(calls)}; }
  int calls = 0;
};

struct CounterThatIsRead : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * ++calls; }
  Tensors state() const override { return {number(calls)}; }
  int calls = 0;
};

struct CounterOnTheDevice : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * calls.add_(1); }
  Tensors state() const override { return {calls}; }
  Tensor calls = torch::zeros({});
};

struct StaticCounter : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * next(); }
  static int next() {
    static int calls = 0;
    return ++calls % number_of_calls;  // begins again in each run
  }
};

struct CountersByName : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    ++hits["call"];
    return x * 2;
  }
  Tensors state() const override { return {number(hits.count("call") ? hits.at("call") : 0)}; }
  std::map<std::string, int> hits;
};

struct AtomicCounter : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    calls.fetch_add(1);
    return x * 2;
  }
  Tensors state() const override { return {number(calls)}; }
  std::atomic<int> calls{0};
};

struct CounterInALambda : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const auto count = [this] { calls += 2; };
    count();
    return x * 2;
  }
  Tensors state() const override { return {number(calls)}; }
  int calls = 0;
};

struct Alternating : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    even = !even;
    return even ? x * 2 : -x;
  }
  Tensors state() const override { return {number(even)}; }
  bool even = false;
};

struct AlternatingEnumerator : Program {
  enum class Kind { even, odd };
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    kind = kind == Kind::even ? Kind::odd : Kind::even;
    return kind == Kind::even ? x * 2 : -x;
  }
  Kind kind = Kind::even;
};

struct AlternatingByBranches : Program {
  static constexpr const char* not_found = "each branch assigns a constant; which of them a call takes is not looked at";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (turn == 0) {
      turn = 1;
    } else {
      turn = 0;
    }
    return turn == 0 ? x * 2 : -x;
  }
  int turn = 0;
};

struct SetToTheSame : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    last_size = x.size(0);
    ready = true;
    return x * static_cast<double>(last_size);
  }
  Tensors state() const override { return {number(static_cast<double>(last_size)), number(ready)}; }
  int64_t last_size = 0;
  bool ready = false;
};

struct SummedAnew : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    total = 0;
    for (int64_t i = 0; i < x.dim(); ++i) {
      total += x.size(i);
    }
    return x * static_cast<double>(total);
  }
  Tensors state() const override { return {number(static_cast<double>(total))}; }
  int64_t total = 0;
};

struct InitializedOnce : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::call_once(once, [this] { scale = 3; });
    static const double offset = 2;
    return x * scale + offset;
  }
  Tensors state() const override { return {number(scale)}; }
  std::once_flag once;
  double scale = 0;
};

struct CounterOfTheCall : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    struct {
      int count = 0;
      std::vector<double> seen;
    } local;
    for (; local.count < 3; ++local.count) {
      local.seen.push_back(local.count);
    }
    return x * static_cast<double>(local.seen.size());
  }
};

struct LogsUnderAFlagThatIsOff : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (verbose) {
      std::cout << "called\n";
    }
    return x * 2;
  }
  const bool verbose = false;
};

struct Logs : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::cout << "called\n";
    std::printf("%d\n", 1);
    return x * 2;
  }
};

struct CounterThroughAReference : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    int& n = calls;
    n += 1;
    return x * 2;
  }
  Tensors state() const override { return {number(calls)}; }
  int calls = 0;
};

struct CounterOfAHelper : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    bump(calls);
    return x * 2;
  }
  static void bump(int& n) { ++n; }
  Tensors state() const override { return {number(calls)}; }
  int calls = 0;
};

struct CounterOfAClass : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    ++steps;
    return x * 2;
  }
  Tensors state() const override { return {number(steps.n)}; }
  struct Steps {
    void operator++() { ++n; }
    int n = 0;
  };
  Steps steps;
};

struct EveryFourthCall : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (++calls % 4 == 0) {
      return x * 2;
    }
    return -x;
  }
  Tensors state() const override { return {number(calls)}; }
  int calls = 0;
};

struct TextThatGrows : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    text += "x";
    return x * 2;
  }
  Tensors state() const override { return {number(static_cast<double>(text.size()))}; }
  std::string text;
};

struct ListOfNumbersThatGrows : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    sizes.push_back(x.size(0));
    return x * 2;
  }
  Tensors state() const override { return {number(static_cast<double>(sizes.size()))}; }
  std::vector<int64_t> sizes;
};

struct ListOfNumbersFilledAnew : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    sizes.clear();
    sizes.push_back(x.size(0));
    return x * static_cast<double>(sizes.back());
  }
  Tensors state() const override { return {number(static_cast<double>(sizes.size()))}; }
  std::vector<int64_t> sizes;
};

}  // namespace counters

#include "counters.graphed.h"

void judge_counters() {
  using namespace counters;
  judged::judge<&Counter::call, &CounterThatIsRead::call, &CounterOnTheDevice::call, &StaticCounter::call, &CountersByName::call,
                &AtomicCounter::call, &CounterInALambda::call, &Alternating::call, &AlternatingEnumerator::call,
                &AlternatingByBranches::call, &SetToTheSame::call, &SummedAnew::call, &InitializedOnce::call, &CounterOfTheCall::call,
                &LogsUnderAFlagThatIsOff::call, &Logs::call, &CounterThroughAReference::call, &CounterOfAHelper::call,
                &CounterOfAClass::call, &EveryFourthCall::call, &TextThatGrows::call, &ListOfNumbersThatGrows::call,
                &ListOfNumbersFilledAnew::call>();
}
