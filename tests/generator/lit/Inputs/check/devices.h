// SPDX-License-Identifier: Apache-2.0
//
// Classes that other files use as well: which of their members can be seen to be given nothing else.
#pragma once

#include <torch/torch.h>

namespace devices {
struct Open {
  void run(const torch::Tensor& x) const { x.to(device); }
  torch::Device device = torch::kCPU;
};

class Closed {
 public:
  void run(const torch::Tensor& x) const { x.to(device); }

 private:
  torch::Device device = torch::kCPU;
};

class Defined {
 public:
  void run(const torch::Tensor& x) const { x.to(device); }
  void change();

 private:
  torch::Device device = torch::kCPU;
};
}  // namespace devices
