// SPDX-License-Identifier: Apache-2.0
//
// The bodies of graphed::if_else and graphed::while_loop are part of the graph: they may capture by reference, and what no graph can hold is
// reported in them as elsewhere.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <graphed/control_flow.h>

GRAPHED(x: f32[2]) torch::Tensor clipped(const torch::Tensor& x) {
  const torch::Tensor largest = x.max();
  return graphed::if_else(largest.gt(1), [&] { return x / largest; }, [&] { return x + 0; });
}

GRAPHED(x: f32[2]) torch::Tensor halved(const torch::Tensor& x) {
  const auto is_large = [](const torch::Tensor& y) { return y.sum().gt(1); };
  const torch::Tensor y = graphed::while_loop(is_large, [](const torch::Tensor& y) { return y * 0.5; }, x, 100);
  return graphed::if_else(is_large(y), [&] { return graphed::while_loop(is_large, [&](const torch::Tensor& z) { return z - y; }, x, 9); },
                          [&] { return y + x; });
}

GRAPHED(x: f32[2]) torch::Tensor reads(const torch::Tensor& x) {
  return graphed::if_else(x.sum().gt(1),
                          // CHECK: control-flow.cpp:[[#@LINE+2]]:{{[0-9]+}}: warning: 'item' reads a tensor's value on the host
                          // CHECK: note: called from 'reads' here
                          [&] { return x / x.max().item<float>(); }, [&] { return x + 0; });
}

GRAPHED(x: f32[2]) torch::Tensor branches(const torch::Tensor& x) {
  return graphed::while_loop([](const torch::Tensor& y) { return y.sum().gt(1); },
                             [](const torch::Tensor& y) {
                               // CHECK: control-flow.cpp:[[#@LINE+3]]:{{[0-9]+}}: error: a branch on a tensor's value
                               // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: note: the branch is here
                               // CHECK: note: called from 'branches' here
                               if (y.max().item<float>() > 4) {
                                 return y * 0.25;
                               }
                               return y * 0.5;
                             },
                             x, 100);
}
