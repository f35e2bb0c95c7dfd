// SPDX-License-Identifier: Apache-2.0
//
// Other threads that draw from the default generator while a test does something else.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace graphed::testing {

class numbers_of_others {
 public:
  explicit numbers_of_others(c10::Device device) : options_(at::TensorOptions(at::kDouble).device(device)) {}

  /// On a thread of their own.
  void draw(int count = 1) {
    std::thread([&] {
      for (int i = 0; i < count; ++i) {
        drawn_.push_back(at::rand({1}, options_));
      }
    }).join();
  }
  std::size_t count() const { return drawn_.size(); }
  /// How many of them were drawn before. Of 53 bits each, two are equal by chance in one of 10^10 runs.
  std::size_t drawn_twice() const {
    const at::Tensor all = at::cat(drawn_).cpu();
    const auto* const first = static_cast<const double*>(all.const_data_ptr());
    std::vector<double> values(first, first + all.numel());
    std::sort(values.begin(), values.end());
    return values.size() - static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
  }

 private:
  const at::TensorOptions options_;
  std::vector<at::Tensor> drawn_;
};

}  // namespace graphed::testing
