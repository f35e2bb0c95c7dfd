// SPDX-License-Identifier: Apache-2.0
//
// Images of handwritten digits, 28x28, to learn from and to be tested on.
#pragma once

#include "../data/digits.h"

#include <torch/torch.h>

#include <string>

namespace mnist {

/// Images: f32[n, 1, 28, 28], less MNIST's mean, divided by its deviation. Labels: i64[n].
using digits::Part;

struct Data {
  Part train, test;
};

inline torch::Tensor normalised(const torch::Tensor& images) { return (images - 0.1307) / 0.3081; }

/// The four files of MNIST in `folder`, unzipped, by the names that they are published with. Throws std::exception if one cannot be read.
inline Data read_mnist(const std::string& folder, torch::Device device) {
  using torch::data::datasets::MNIST;
  const auto part = [&](MNIST::Mode mode) -> Part {
    const MNIST set(folder, mode);
    return {normalised(set.images()).to(device), set.targets().to(device)};
  };
  return {part(MNIST::Mode::kTrain), part(MNIST::Mode::kTest)};
}

/// The UCI digits, 8x8, scaled up by bilinear interpolation. Throws std::exception if they cannot be read.
inline Data read_digits(torch::Device device) {
  const auto scaled_up = [](const Part& part) -> Part {
    return {normalised(torch::upsample_bilinear2d(part.images, {28, 28}, /*align_corners=*/false)), part.labels};
  };
  const digits::Data data = digits::read(device);
  return {scaled_up(data.train), scaled_up(data.held_out)};
}

}  // namespace mnist
