// SPDX-License-Identifier: Apache-2.0
#include "data.h"

#include "../data/digits.h"

#include <torch/data/datasets/mnist.h>
#include <torch/nn/functional/upsampling.h>

namespace mnist {
namespace {

namespace F = torch::nn::functional;

torch::Tensor normalized(const torch::Tensor& images) { return (images - 0.1307) / 0.3081; }

Part of_mnist(const std::string& folder, torch::data::datasets::MNIST::Mode mode) {
  const torch::data::datasets::MNIST set(folder, mode);
  return {normalized(set.images()), set.targets()};
}

Part of_digits(const std::string& file, digits::Part part) {
  const digits::Dataset set(file, part);
  const auto to_28x28 = F::InterpolateFuncOptions().size(std::vector<int64_t>{28, 28}).mode(torch::kBilinear).align_corners(false);
  return {normalized(F::interpolate(set.images(), to_28x28)), set.labels()};
}

}  // namespace

Data read_mnist(const std::string& folder) {
  using torch::data::datasets::MNIST;
  return {of_mnist(folder, MNIST::Mode::kTrain), of_mnist(folder, MNIST::Mode::kTest)};
}

Data read_digits(const std::string& file) { return {of_digits(file, digits::Part::train), of_digits(file, digits::Part::held_out)}; }

}  // namespace mnist
