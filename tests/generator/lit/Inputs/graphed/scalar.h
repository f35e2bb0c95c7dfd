// SPDX-License-Identifier: Apache-2.0
//
// Declares what scans see of the runtime's graphed/scalar.h, without LibTorch.
#pragma once

#include <cstdint>

namespace at {
class Tensor;
}
namespace c10 {
class Device;
}

namespace graphed {
class Scalar {
 public:
  Scalar(double value);
  Scalar(float value);
  Scalar(int64_t value);
  Scalar(int value);
  Scalar(bool value);
  ~Scalar();
  at::Tensor tensor(c10::Device device) const;
};
}  // namespace graphed
