// SPDX-License-Identifier: Apache-2.0
//
// What the tests of checks call in a header.
#pragma once

#include <torch/torch.h>

namespace reads {
inline float item(const torch::Tensor& x) { return x.item<float>(); }
inline torch::Tensor branch(const torch::Tensor& x) { return x.item().toBool() ? x : x + x; }
inline bool compare(const torch::Tensor& x) { return torch::equal(x, x); }
inline void print(const torch::Tensor& x, std::ostream& stream) { stream << x; }
inline torch::Tensor copy(const torch::Tensor& x) { return x.cpu(); }
inline float pointer(const torch::Tensor& x) { return *x.data_ptr<float>(); }
inline torch::Tensor shape(const torch::Tensor& x) { return x.nonzero(); }
void tell(bool& flag);
}  // namespace reads
