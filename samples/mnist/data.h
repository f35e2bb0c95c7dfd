// SPDX-License-Identifier: Apache-2.0
//
// Images of handwritten digits, 28x28, to learn from and to be tested on.
#pragma once

#include <torch/types.h>

#include <string>

namespace mnist {

struct Part {
  torch::Tensor images;  ///< f32[n, 1, 28, 28], less MNIST's mean, divided by its deviation
  torch::Tensor labels;  ///< i64[n]
};

struct Data {
  Part train, test;
};

/// The four files of MNIST in `folder`, unzipped, by the names that they are published with. Throws std::exception if one cannot be read.
Data read_mnist(const std::string& folder);

/// The UCI digits, 8x8, scaled up by bilinear interpolation. Throws std::exception if `file` cannot be read.
Data read_digits(const std::string& file);

}  // namespace mnist
