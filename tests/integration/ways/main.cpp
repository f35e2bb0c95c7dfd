// SPDX-License-Identifier: Apache-2.0
//
// Calls the callable until it is replayed.
#include "policy.graphed.h"

#include <ATen/ops/full.h>

#include <iostream>

int main() {
  graphed::callable<&policy> fast;
  for (int i = 0; i < 6; ++i) {
    const auto x = at::full({4, 3}, 0.5 * i);
    if (!fast(x).equal(policy(x))) {
      return 1;
    }
  }
  std::cout << "policy: equal, " << fast.stats().replays << " replays\n";
}
