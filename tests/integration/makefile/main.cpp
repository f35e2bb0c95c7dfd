// SPDX-License-Identifier: Apache-2.0
//
// Compares the graphed callable with the original.
#include "policy.graphed.h"

#include <ATen/ops/ones.h>

#include <iostream>

int main() {
  graphed::callable<&policy> fast;
  bool equal = true;
  for (int i = 0; i < 5; ++i) {
    const auto x = at::ones({size}).mul(i);
    equal = equal && fast(x).equal(policy(x));
  }
  equal = equal && fast.stats().calls == 5 && fast.stats().miss_count() == 0;
  std::cout << "policy: " << (equal ? "equal\n" : "different\n");
}
