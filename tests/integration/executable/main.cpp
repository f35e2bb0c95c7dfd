// SPDX-License-Identifier: Apache-2.0
//
// Calls a callable of a header and one of this file.
#include "nets/policy.h"

#include "policy.graphed.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include <iostream>

namespace {
GRAPHED(x: f32[2], factor: const)
at::Tensor scaled(const at::Tensor& x, double factor) { return x.mul(factor); }
}  // namespace

#include "main.graphed.h"

at::Tensor policy(const at::Tensor& x) { return x.add(1); }

int main() {
  graphed::callable<&policy> fast_policy;
  graphed::callable<&scaled> fast_scaled;
  for (int i = 0; i < 3; ++i) {
    if (!fast_policy(at::ones({rows, columns})).equal(at::full({rows, columns}, 2)) ||
        !fast_scaled(at::ones({2}), 3).equal(at::full({2}, 3))) {
      return 1;
    }
  }
  std::cout << "policy of " << rows << " rows, " << fast_policy.stats().calls << " calls; scaled, " << fast_scaled.stats().calls
            << " calls\n";
}
