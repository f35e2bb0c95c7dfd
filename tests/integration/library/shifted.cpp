// SPDX-License-Identifier: Apache-2.0
//
// The definition, as a user writes it.
#include "shifted.h"

at::Tensor shifted(const at::Tensor& x) { return x.add(SHIFT); }
