// SPDX-License-Identifier: Apache-2.0
//
// The handwritten digits of the UCI repository, read from digits.csv.gz.
#pragma once

#include <torch/data.h>

#include <string>

namespace digits {

enum class Part { train, held_out };

/// Every sixth image is held out: 300 of 1797.
class Dataset : public torch::data::Dataset<Dataset> {
 public:
  /// Throws std::runtime_error if the file cannot be read or is not the one expected.
  Dataset(const std::string& path, Part part);

  torch::data::Example<> get(size_t index) override { return {images_[static_cast<int64_t>(index)], labels_[static_cast<int64_t>(index)]}; }
  torch::optional<size_t> size() const override { return static_cast<size_t>(labels_.size(0)); }

  const torch::Tensor& images() const { return images_; }  ///< f32[n, 1, 8, 8], 0 to 1
  const torch::Tensor& labels() const { return labels_; }  ///< i64[n]

 private:
  torch::Tensor images_;
  torch::Tensor labels_;
};

}  // namespace digits
