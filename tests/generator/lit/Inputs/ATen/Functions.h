// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for more of LibTorch's functions than most tests need.
#pragma once

#include <torch/torch.h>

namespace at {
Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options = {});
Tensor linalg_inv(const Tensor& self);
std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& self, bool check_errors = false);
Tensor& linalg_inv_out(Tensor& out, const Tensor& self);
std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self);
std::tuple<Tensor, Tensor> linalg_qr(const Tensor& self);
Tensor linalg_cond(const Tensor& self, const std::optional<Scalar>& p = std::nullopt);
Tensor linalg_matrix_norm(const Tensor& self, const Scalar& ord);
Tensor linalg_matrix_norm(const Tensor& self, const char* ord = "fro");
std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& self);
Tensor cholesky_solve(const Tensor& self, const Tensor& input2, bool upper = false);
Tensor linalg_matrix_power(const Tensor& self, std::int64_t n);

Tensor cov(const Tensor& self, std::int64_t correction = 1);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths, IntArrayRef target_lengths, std::int64_t blank = 0);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths,
                std::int64_t blank = 0);
Tensor histc(const Tensor& self, std::int64_t bins = 100, const Scalar& min = 0.0, const Scalar& max = 0.0);
Tensor _shape_as_tensor(const Tensor& self);
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false);
Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps);
Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps);
Tensor multinomial(const Tensor& self, std::int64_t num_samples);
Tensor normal(const Tensor& mean, const Tensor& std);
Tensor normal(const Tensor& mean, double std = 1);
Tensor& normal_out(Tensor& out, const Tensor& mean, const Tensor& std);
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, const std::optional<Tensor>& sorter = {});
Tensor segment_reduce(const Tensor& data, const std::optional<Tensor>& lengths = {}, bool unsafe = false);
}  // namespace at

namespace torch {
namespace detail {
struct TensorDataContainer {
  TensorDataContainer(double value);
  TensorDataContainer(std::initializer_list<TensorDataContainer> values);
  TensorDataContainer(const std::vector<float>& values);
};
}  // namespace detail
Tensor tensor(detail::TensorDataContainer values, const TensorOptions& options = {});
}  // namespace torch
