// SPDX-License-Identifier: Apache-2.0
//
// Links the library and finds its generated header.
#include "shifted.graphed.h"

#include <ATen/ops/ones.h>

#include <iostream>

int main() {
  graphed::callable<&shifted> fast;
  const auto x = at::ones({size});
  bool equal = true;
  for (int i = 0; i < 5; ++i) {
    equal = equal && fast(x).equal(shifted(x));
  }
  equal = equal && fast.stats().calls == 5 && fast.stats().miss_count() == 0;
  std::cout << "shifted by " << SHIFT << (equal ? ": equal\n" : ": different\n");
}
