// SPDX-License-Identifier: Apache-2.0
//
// Calls a callable of a header and one of this file.
#include "nets/policy.h"

#include "policy.graphed.h"

#include <iostream>

namespace {
GRAPHED(x: f32[2], factor: const)
torch::Tensor scaled(const torch::Tensor& x, double factor) { return x * factor; }
}  // namespace

#include "main.graphed.h"

torch::Tensor policy(const torch::Tensor& x) { return x + 1; }

int main() {
  graphed::callable<&policy> fast_policy;
  graphed::callable<&scaled> fast_scaled;
  for (int i = 0; i < 3; ++i) {
    if (!fast_policy(torch::ones({rows, columns})).equal(torch::full({rows, columns}, 2)) ||
        !fast_scaled(torch::ones({2}), 3).equal(torch::full({2}, 3))) {
      return 1;
    }
  }
  std::cout << "policy of " << rows << " rows, " << fast_policy.stats().calls << " calls; scaled, " << fast_scaled.stats().calls << " calls\n";
}
