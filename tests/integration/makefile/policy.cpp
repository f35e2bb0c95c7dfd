// SPDX-License-Identifier: Apache-2.0
//
// Its definition.
#include "policy.h"

at::Tensor policy(const at::Tensor& x) { return x.mul(2); }
