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
Tensor cholesky_inverse(const Tensor& self, bool upper = false);
Tensor det(const Tensor& self);
std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, bool pivot = true);
std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, bool left = true, bool check_errors = false);
Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian = false);
Tensor linalg_norm(const Tensor& self, const std::optional<Scalar>& ord = std::nullopt, std::optional<IntArrayRef> dim = std::nullopt);
Tensor linalg_norm(const Tensor& self, const char* ord, std::optional<IntArrayRef> dim = std::nullopt);

std::tuple<Tensor, Tensor> batch_norm_gather_stats(const Tensor& input, const Tensor& mean, const Tensor& invstd,
                                                    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
                                                    double momentum, double eps, std::int64_t count);
std::tuple<double, std::int64_t> _choose_qparams_per_tensor(const Tensor& self, bool reduce_range = false);
Tensor cov(const Tensor& self, std::int64_t correction = 1);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths, IntArrayRef target_lengths, std::int64_t blank = 0);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths,
                std::int64_t blank = 0);
namespace Reduction {
enum Reduction { None, Mean, Sum };
}
Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight = {},
                          std::int64_t reduction = Reduction::Mean, std::int64_t ignore_index = -100, double label_smoothing = 0.0);
Tensor fused_moving_avg_obs_fake_quant(const Tensor& self, const Tensor& observer_on, const Tensor& fake_quant_on, Tensor& running_min,
                                       Tensor& running_max, Tensor& scale, Tensor& zero_point, double averaging_const,
                                       std::int64_t quant_min, std::int64_t quant_max, std::int64_t ch_axis,
                                       bool per_row_fake_quant = false);
Tensor histc(const Tensor& self, std::int64_t bins = 100, const Scalar& min = 0.0, const Scalar& max = 0.0);
Tensor _shape_as_tensor(const Tensor& self);
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false);
Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps);
Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps);
std::tuple<Tensor, Tensor> mode(const Tensor& self, std::int64_t dim = -1, bool keepdim = false);
Tensor multinomial(const Tensor& self, std::int64_t num_samples);
Tensor normal(const Tensor& mean, const Tensor& std);
Tensor normal(const Tensor& mean, double std = 1);
Tensor& normal_out(Tensor& out, const Tensor& mean, const Tensor& std);
Tensor nested_to_padded_tensor(const Tensor& self, double padding);
Tensor _padded_dense_to_jagged_forward(const Tensor& dense, TensorList offsets, std::optional<std::int64_t> total_L = std::nullopt);
Tensor quantize_per_channel(const Tensor& self, const Tensor& scales, const Tensor& zero_points, std::int64_t axis, ScalarType dtype);
Tensor randint_like(const Tensor& self, const Tensor& high);
Tensor randint_like(const Tensor& self, std::int64_t high);
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32 = false, bool right = false,
                    std::optional<std::string_view> side = std::nullopt, const std::optional<Tensor>& sorter = {});
Tensor segment_reduce(const Tensor& data, std::string_view reduce, const std::optional<Tensor>& lengths = {},
                      const std::optional<Tensor>& indices = {}, const std::optional<Tensor>& offsets = {}, std::int64_t axis = 0,
                      bool unsafe = false);
Tensor trace(const Tensor& self);
Tensor _sparse_softmax(const Tensor& self, std::int64_t dim);
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
