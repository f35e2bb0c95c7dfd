// SPDX-License-Identifier: Apache-2.0
//
// What is reported where: output under a flag that nothing sets is none, and a tensor in an optional is printed as any other.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <iostream>
#include <optional>

using torch::Tensor;

struct Net {
  bool debug = false, verbose = false;
  void tell() { verbose = true; }

  GRAPHED(x: f32[8], b: f32[8] optional) Tensor forward(const Tensor& x, const std::optional<Tensor>& b) {
    if (debug) {
      std::cout << "called";
    }
    if (verbose) {
      // CHECK: told.cpp:[[#@LINE+1]]:17: warning: this is written when the graph is captured, not by replays [graphed-host-state]
      std::cout << "called";
    }
    if (b) {
      // CHECK: :[[#@LINE+1]]:17: warning: printing a tensor reads it on the host, which a graph cannot do [graphed-host-print]
      std::cout << *b;
    }
    return x + x;
  }
};
