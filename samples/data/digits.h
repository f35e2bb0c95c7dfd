// SPDX-License-Identifier: Apache-2.0
//
// The handwritten digits of the UCI repository, read from digits.pt beside this file, or where the environment variable DIGITS_DATA says.
#pragma once

#include <torch/torch.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace digits {

struct Part {
  torch::Tensor images;  ///< f32[n, 1, 8, 8], 0 to 1
  torch::Tensor labels;  ///< i64[n]
};

struct Data {
  Part train, held_out;
};

/// Every sixth image is held out: 300 of 1797. Throws c10::Error if the file cannot be read.
inline Data read(torch::Device device) {
  const char* named = std::getenv("DIGITS_DATA");
  const auto path = named != nullptr ? std::filesystem::path(named) : std::filesystem::path(__FILE__).replace_filename("digits.pt");
  std::ifstream file(path, std::ios::binary);
  TORCH_CHECK(file, "cannot open ", path.string());
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const torch::Tensor rows = torch::pickle_load(bytes).toTensor();  // u8[1797, 65]
  const torch::Tensor held_out = torch::arange(rows.size(0)).remainder(6).eq(0);
  const auto part = [&](const torch::Tensor& of_rows) -> Part {
    const torch::Tensor chosen = rows.index({of_rows}).to(device);
    return {chosen.narrow(1, 0, 64).to(torch::kFloat).div(16).view({-1, 1, 8, 8}), chosen.select(1, 64).to(torch::kLong)};
  };
  return {part(~held_out), part(held_out)};
}

}  // namespace digits
