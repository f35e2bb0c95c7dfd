// SPDX-License-Identifier: Apache-2.0
//
// The bodies of graphed::if_else and graphed::while_loop are part of the graph: they may capture by reference, and what no graph can hold is
// reported in them as elsewhere. So is what they assign and do not declare.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <graphed/control_flow.h>

#include <vector>

GRAPHED(x: f32[2]) torch::Tensor clipped(const torch::Tensor& x) {
  const torch::Tensor largest = x.max();
  return graphed::if_else(largest > 1, [&] { return x / largest; }, [&] { return x + x; });
}

GRAPHED(x: f32[2]) torch::Tensor halved(const torch::Tensor& x) {
  const auto is_large = [](const torch::Tensor& y) { return y.sum() > 1; };
  const torch::Tensor y = graphed::while_loop(is_large, [](const torch::Tensor& y) { return y * y; }, x, 100);
  return graphed::if_else(is_large(y), [&] { return graphed::while_loop(is_large, [&](const torch::Tensor& z) { return z - y; }, x, 9); },
                          [&] { return y + x; });
}

GRAPHED(x: f32[2]) torch::Tensor reads(const torch::Tensor& x) {
  return graphed::if_else(x.sum() > 1,
                          // CHECK: control-flow.cpp:[[#@LINE+2]]:{{[0-9]+}}: error: 'item' reads a tensor's value on the host
                          // CHECK: note: called from 'reads' here
                          [&] { return x / x.max().item<float>(); }, [&] { return x + x; });
}

GRAPHED(x: f32[2]) torch::Tensor branches(const torch::Tensor& x) {
  return graphed::while_loop([](const torch::Tensor& y) { return y.sum() > 1; },
                             [](const torch::Tensor& y) {
                               // CHECK: control-flow.cpp:[[#@LINE+3]]:{{[0-9]+}}: error: a branch on a tensor's value
                               // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: note: the branch is here
                               // CHECK: note: called from 'branches' here
                               if (y.max().item<float>() > 4) {
                                 return y + y;
                               }
                               return y * y;
                             },
                             x, 100);
}

// A capture runs all bodies: what they assign is the last one's.
GRAPHED(x: f32[2]) torch::Tensor leaves(const torch::Tensor& x) {
  torch::Tensor y = x + x;
  int count = 0;
  std::vector<torch::Tensor> list;
  graphed::if_else(
      x.sum() > 1,
      [&] {
        // CHECK: :[[#@LINE+3]]:11: warning: 'y' is assigned in a body of graphed::if_else, which a capture runs whichever body a replay chooses: return it from the body [graphed-body-state]
        // CHECK: :[[#@LINE-7]]:17: note: declared here
        // CHECK: :[[#@LINE-5]]:3: note: called from 'leaves' here
        y = y * y;
        // CHECK: :[[#@LINE+3]]:15: warning: 'count' is assigned in a body of graphed::if_else
        // CHECK: note: declared here
        // CHECK: note: called from 'leaves' here
        count = 3;
        // CHECK: :[[#@LINE+3]]:9: warning: 'count' is assigned
        // CHECK: note: declared here
        // CHECK: note: called from 'leaves' here
        ++count;
        // CHECK: :[[#@LINE+3]]:14: warning: 'list' is changed
        // CHECK: note: declared here
        // CHECK: note: called from 'leaves' here
        list.push_back(y);
        // CHECK: :[[#@LINE+3]]:17: warning: 'list' is assigned
        // CHECK: note: declared here
        // CHECK: note: called from 'leaves' here
        list[0] = x;
      },
      [&] {
        y.add_(x);
        y += x;
        y[0].fill_(2);
        torch::Tensor z = x;
        z = z + y;
        int turns = 0;
        ++turns;
      });
  return y;
}

void halve(torch::Tensor& one) {
  torch::Tensor half = one;
  half = half * half;
  // CHECK: :[[#@LINE+4]]:7: warning: 'kept' is assigned in a body of graphed::if_else
  // CHECK: note: declared here
  // CHECK: note: called from {{.*}} here
  // CHECK: note: called from 'held' here
  one = half;
}

GRAPHED(x: f32[2]) torch::Tensor held(const torch::Tensor& x) {
  torch::Tensor kept = x + x, other = x;
  const auto set = [&] { other = x * x; };
  set();
  const auto then = [&] {
    torch::Tensor own = x + x;
    halve(own);
    const auto both = [&] { own = own + own; };
    both();
    halve(kept);
    return own;
  };
  return graphed::if_else(x.sum() > 1, then, [own = x]() mutable {
    own = own + own;
    return own;
  });
}

GRAPHED(x: f32[2]) torch::Tensor loops(const torch::Tensor& x) {
  torch::Tensor norm = x;
  int turns = 0;
  return graphed::while_loop(
      [&](const torch::Tensor& y) {
        // CHECK: :[[#@LINE+3]]:9: warning: 'turns' is assigned in the condition of graphed::while_loop, which a capture runs once, however often a replay does: put it into the loop's state
        // CHECK: note: declared here
        // CHECK: note: called from 'loops' here
        ++turns;
        return y.sum() > 1;
      },
      [&](torch::Tensor y) {
        // CHECK: :[[#@LINE+3]]:14: warning: 'norm' is assigned in the body of graphed::while_loop
        // CHECK: note: declared here
        // CHECK: note: called from 'loops' here
        norm = y.sum();
        y = y * y;
        return graphed::if_else(
            norm > 4, [&] { return y + y; },
            [&] {
              // CHECK: :[[#@LINE+4]]:17: warning: 'y' is assigned in a body of graphed::if_else
              // CHECK: note: declared here
              // CHECK: note: called from {{.*}} here
              // CHECK: note: called from 'loops' here
              y = y * y;
              return y;
            });
      },
      x, 100);
}

struct Cell {
  torch::Tensor hidden;
  int calls = 0;

  // A check that says more of the same place goes first.
  GRAPHED(x: f32[2]) torch::Tensor step(const torch::Tensor& x) {
    return graphed::if_else(
        x.sum() > 1,
        [&] {
          // CHECK: :[[#@LINE+3]]:18: warning: the member 'hidden' is assigned in a body of graphed::if_else
          // CHECK: note: declared here
          // CHECK: note: called from 'Cell::step' here
          hidden = hidden + x;
          return x + x;
        },
        [&] {
          // CHECK: :[[#@LINE+2]]:11: warning: 'calls' changes when the graph is captured, not in replays [graphed-host-state]
          // CHECK: note: called from 'Cell::step' here
          ++calls;
          return x * x;
        });
  }
};
