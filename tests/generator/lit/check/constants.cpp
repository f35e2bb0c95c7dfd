// SPDX-License-Identifier: Apache-2.0
//
// What a constant excludes is not executed, and what it lets through is.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/reads.h>
#include <graphed/annotate.h>
#include <torch/logging.h>
#include <torch/torch.h>

#include <iostream>
#include <stdexcept>

constexpr bool off = false;
constexpr bool on = true;
enum class Level { quiet, loud };
constexpr Level level = Level::quiet;
constexpr bool is_at_least(Level wanted) { return level >= wanted; }
template <Level Of>
struct Config {
  static constexpr bool checks = Of == Level::loud;
};

#define ALWAYS_TRUE(condition) if (false && !(condition)) throw std::runtime_error("")
#define DEBUG_CHECK(condition) \
  while (false) CHECK(condition)
#define CHECK_THAT(condition) \
  if (__builtin_expect(static_cast<bool>(!(condition)), 0)) throw std::runtime_error("")

// Operands.
GRAPHED(x: f32[2]) torch::Tensor excluded_operands(const torch::Tensor& x) {
  if (off && x.item<bool>()) throw std::runtime_error("");
  if (false && x.item<bool>()) return x;
  if (!off || x.item<bool>()) x.tanh();
  if ((x.size(0) > 4 && off) && x.item<bool>()) return x;
  if (is_at_least(Level::loud) && x.item<bool>()) return x;
  if (Config<Level::quiet>::checks && x.item<bool>()) return x;
  const bool debug = false;
  if (debug && x.item<bool>()) return x;
  bool kept = false;
  if (kept && x.item<bool>()) return x;
  const bool is_bad = off && x.item<bool>();
  const bool is_worse = off ? x.item<bool>() : false;
  CHECK_THAT(!off || x.item<bool>());
  CHECK_THAT(!is_bad);
  ALWAYS_TRUE(x.item<bool>());
  DEBUG_CHECK(x.item<bool>());
  return is_bad || is_worse ? x : x + x;
}

struct Net {
  bool verbose;
  GRAPHED(x: f32[2], debug: key) torch::Tensor forward(const torch::Tensor& x, bool debug) {
    // CHECK: constants.cpp:[[#@LINE+2]]:17: error: a branch on a tensor's value
    // CHECK: :[[#@LINE+1]]:9: note: the branch is here
    if (on && x.item<bool>()) return x;
    // CHECK: :[[#@LINE+2]]:20: warning: a branch on a tensor's value
    // CHECK: :[[#@LINE+1]]:9: note: the branch is here
    if (debug && x.item<bool>()) return x;
    // CHECK: :[[#@LINE+2]]:22: warning: a branch on a tensor's value
    // CHECK: :[[#@LINE+1]]:9: note: the branch is here
    if (verbose && x.item<bool>()) return x;
    bool changed = false;
    changed = debug;
    // CHECK: :[[#@LINE+2]]:22: warning: a branch on a tensor's value
    // CHECK: :[[#@LINE+1]]:9: note: the branch is here
    if (changed && x.item<bool>()) return x;
    bool told = false;
    reads::tell(told);
    // CHECK: :[[#@LINE+2]]:19: warning: a branch on a tensor's value
    // CHECK: :[[#@LINE+1]]:9: note: the branch is here
    if (told && x.item<bool>()) return x;
    int count = 0;
    ++count;
    // CHECK: :[[#@LINE+2]]:20: warning: a branch on a tensor's value
    // CHECK: :[[#@LINE+1]]:9: note: the branch is here
    if (count && x.item<bool>()) return x;
    // CHECK: :[[#@LINE+2]]:29: warning: a branch on a tensor's value
    // CHECK: :[[#@LINE+1]]:9: note: the branch is here
    if (!(on && debug) || x.item<bool>()) return x;
    return x + x;
  }
};

// Loops.
GRAPHED(x: f32[B]; B in {2, 3}) torch::Tensor loops(const torch::Tensor& x) {
  while (false) {
    std::cout << x;
  }
  while (off && x.item<bool>()) {
    x.item<float>();
  }
  for (; off;) {
    x.item<float>();
  }
  for (int i = 0; off && i < x.item<int>(); ++i) {
    x.item<float>();
  }
  do {
    // CHECK: :[[#@LINE+1]]:7: error: 'item' reads
    x.item<float>();
  } while (off);
  while (on) {
    if (x.size(0) == 2) {
      break;
    }
    // CHECK: :[[#@LINE+1]]:7: warning: 'item' reads
    x.item<float>();
  }
  return x;
}

// What follows a statement that leaves.
GRAPHED(x: f32[2]) torch::Tensor returns(const torch::Tensor& x) {
  if (!off) return x + x;
  std::cout << x.item<float>();
  return x;
}
GRAPHED(x: f32[B]; B in {2, 3}) torch::Tensor returns_in_a_branch(const torch::Tensor& x) {
  if (x.size(0) == 2) {
    if (on) {
      return x + x;
    } else {
      x.item<float>();
    }
    x.item<float>();
  }
  if (off) {
    return x;
  }
  // CHECK: :[[#@LINE+1]]:5: warning: 'item' reads
  x.item<float>();
  return x;
}
GRAPHED(x: f32[2]) void goes_on(const torch::Tensor& x) {
  if (off) return;
  // CHECK: :[[#@LINE+1]]:5: error: 'item' reads
  x.item<float>();
}
GRAPHED(x: f32[2]) void jumps(const torch::Tensor& x) {
  goto behind;
  x.item<float>();
behind:
  // CHECK: :[[#@LINE+1]]:5: error: 'item' reads
  x.item<float>();
}

// Switches.
GRAPHED(x: f32[2], mode: key) void switches(const torch::Tensor& x, int mode) {
  switch (level) {
    case Level::quiet:
      break;
    case Level::loud:
      x.item<float>();
  }
  switch (level) {
    case Level::quiet:
    case Level::loud: {
      // CHECK: :[[#@LINE+1]]:9: error: 'item' reads
      x.item<float>();
      break;
    }
    default:
      x.item<double>();
  }
  switch (7) {
    case 1 ... 6:
      x.item<float>();
      return;
    default:
      // CHECK: :[[#@LINE+1]]:9: error: 'item' reads
      x.item<float>();
      [[fallthrough]];
    case 8:
      // CHECK: :[[#@LINE+1]]:9: error: 'item' reads
      x.item<float>();
  }
  switch (x.size(0)) {
    case 0:
      x.item<float>();
      return;
    case 1 ... 3:
      // CHECK: :[[#@LINE+1]]:9: error: 'item' reads
      x.item<float>();
      break;
    default:
      x.item<double>();
  }
  switch (x.size(0)) {
    case 1:
      x.item<double>();
      return;
  }
  // CHECK: :[[#@LINE+1]]:5: error: 'item' reads
  x.item<float>();
  switch (mode) {
    case 1:
      return;
    case 2:
      // CHECK: :[[#@LINE+1]]:9: warning: 'item' reads
      x.item<float>();
  }
}
