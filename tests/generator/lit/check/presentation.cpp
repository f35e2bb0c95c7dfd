// SPDX-License-Identifier: Apache-2.0
//
// Findings in macros by the line that uses the macro, and many equal ones in a few words: in text. Other formats have each.
// RUN: not graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --check-prefix=EACH
// RUN: not graphgen --check --diagnostics-format=sarif %s %flags | FileCheck %s --check-prefix=SARIF
#include <check/asserts.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <iostream>

#define IS_POSITIVE(x) ((x).item<float>() > 0)
#define HOLDS(x) IS_POSITIVE((x) + (x))
#define CHECK_POSITIVE(x)  \
  do {                     \
    if (!HOLDS(x)) throw 1; \
  } while (0)
#define TELL(x) ASSERT_ONCE(x)

struct Net {
  std::vector<torch::Tensor> calls;

  // The line that the user wrote, and the macro there, not those that it is made of.
  GRAPHED(x: f32[2]) void own_macro(const torch::Tensor& x) {
    // CHECK: presentation.cpp:[[#@LINE+2]]:5: error: a branch on a tensor's value
    // CHECK-NEXT: presentation.cpp:13:29: note: expanded from macro 'CHECK_POSITIVE'
    CHECK_POSITIVE(x);
  }

  // Nothing of a library's.
  GRAPHED(x: f32[2]) void of_library(const torch::Tensor& x) {
    // CHECK: presentation.cpp:[[#@LINE+2]]:14: error: a branch on a tensor's value
    // CHECK-NEXT: presentation.cpp:[[#@LINE+1]]:5: note: the branch is here
    ASSERT(x.item<float>() > 0);
    // CHECK: presentation.cpp:[[#@LINE+1]]:5: warning: 'calls' changes
    ASSERT_ONCE(x);
  }

  // What an assertion expands twice is one finding.
  GRAPHED(x: f32[2]) void twice(const torch::Tensor& x) {
    // CHECK: presentation.cpp:[[#@LINE+2]]:17: error: a branch on a tensor's value
    // CHECK-NEXT: presentation.cpp:[[#@LINE+1]]:5: note: the branch is here
    ASSERT_EQ(x.item<float>(), 1);
  }

  // The program's macro in a library's, and the reverse.
  GRAPHED(x: f32[2]) void mixed(const torch::Tensor& x) {
    // CHECK: presentation.cpp:[[#@LINE+3]]:12: error: a branch on a tensor's value
    // CHECK-NEXT: presentation.cpp:13:29: note: expanded from macro 'HOLDS'
    // CHECK-NEXT: presentation.cpp:[[#@LINE+1]]:5: note: the branch is here
    ASSERT(HOLDS(x));
    // CHECK: presentation.cpp:[[#@LINE+2]]:5: warning: 'calls' changes
    // CHECK-NEXT: presentation.cpp:19:17: note: expanded from macro 'TELL'
    TELL(x);
  }
};

// Three equal ones of a function, with the way of the first, then the lines of the others.
static void prints(const torch::Tensor& x) {
  // CHECK: presentation.cpp:[[#@LINE+6]]:13: error: printing a tensor
  // CHECK-NEXT: note: called from 'first' here
  // CHECK-NEXT: note: reached from 'first', 'second', 'third'
  // CHECK: presentation.cpp:[[#@LINE+4]]:13: error: printing a tensor
  // CHECK-NEXT: presentation.cpp:[[#@LINE+4]]:13: error: printing a tensor
  // CHECK-NEXT: note: also at lines [[#@LINE+4]], [[#@LINE+6]] to [[#@LINE+8]], [[#@LINE+10]], [[#@LINE+11]]
  std::cout << x;
  std::cout << x;
  std::cout << x;
  std::cout << x;

  std::cout << x;
  std::cout << x;
  std::cout << x << x;

  std::cout << x;
  std::cout << x;
  // CHECK: presentation.cpp:[[#@LINE+3]]:5: error: 'item' reads
  // CHECK-NEXT: note: called from 'first' here
  // CHECK-NEXT: note: reached from 'first', 'second', 'third'
  x.item<float>();
}
GRAPHED(x: f32[2]) void first(const torch::Tensor& x) { prints(x); }
GRAPHED(x: f32[2]) void second(const torch::Tensor& x) { prints(x); }
GRAPHED(x: f32[2]) void third(const torch::Tensor& x) { prints(x); }

// Other words are not others' like, nor is a warning an error's.
struct Counters {
  int a = 0, b = 0, c = 0, d = 0;
  GRAPHED(x: f32[2], deep: key) void count(const torch::Tensor& x, bool deep) {
    // CHECK: warning: 'a' changes
    ++a;
    // CHECK: warning: 'b' changes
    ++b;
    // CHECK: warning: 'c' changes
    ++c;
    // CHECK: warning: 'd' changes
    ++d;
    if (deep) {
      // CHECK: warning: 'item' reads
      x.item<float>();
      // CHECK: warning: 'item' reads
      x.item<float>();
      // CHECK: warning: 'item' reads
      // CHECK-NEXT: note: also at line [[#@LINE+2]]
      x.item<float>();
      x.item<float>();
    }
    // CHECK: error: 'item' reads
    x.item<float>();
  }
};

// EACH-COUNT-9: error: printing a tensor
// SARIF-COUNT-9: "text": "printing a tensor
