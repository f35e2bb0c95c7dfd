// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for more of LibTorch's functions that make tensors, and sparse ones.
#pragma once

#include <torch/torch.h>

#include <string_view>
#include <vector>

namespace at {
enum class MemoryFormat : std::int8_t { Contiguous };
Tensor arange(const Scalar& end, TensorOptions options = {});
Tensor empty(IntArrayRef size, TensorOptions options = {}, std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor eye(std::int64_t n, TensorOptions options = {});
Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other);
Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other);
Tensor index(const Tensor& self, std::initializer_list<std::optional<Tensor>> indices);
Tensor cat(TensorList tensors, std::int64_t dim = 0);
Tensor full(IntArrayRef size, const Scalar& fill_value, TensorOptions options = {});
std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing);
Tensor hann_window(std::int64_t window_length, TensorOptions options = {});
Tensor normal(const Tensor& mean, double std = 1);
Tensor normal(double mean, double std, IntArrayRef size, TensorOptions options = {});
Tensor triu_indices(std::int64_t row, std::int64_t col, std::int64_t offset = 0, TensorOptions options = {});

Tensor sparse_coo_tensor(const Tensor& indices, const Tensor& values, IntArrayRef size, TensorOptions options = {},
                         std::optional<bool> is_coalesced = std::nullopt);
Tensor sparse_csr_tensor(const Tensor& crow_indices, const Tensor& col_indices, const Tensor& values, IntArrayRef size,
                         TensorOptions options = {});
Tensor sparse_csr_tensor(const Tensor& crow_indices, const Tensor& col_indices, const Tensor& values, TensorOptions options = {});
}  // namespace at

namespace torch::fft {
Tensor fftfreq(std::int64_t n, TensorOptions options = {});
}  // namespace torch::fft

namespace torch::nn {
class TransformerImpl {
 public:
  static Tensor generate_square_subsequent_mask(std::int64_t size);
};
}  // namespace torch::nn
