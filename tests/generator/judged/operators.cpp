// SPDX-License-Identifier: Apache-2.0
//
// Operators and modules that look at values by themselves, and others that do not.
#include "judge.h"

#include <graphed/annotate.h>

namespace operators {

using namespace judged;

struct Sorted : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return std::get<0>(x.sort()) + std::get<0>(x.topk(1)) + x.cumsum(0) + std::get<1>(x.max(0)); }
};

struct Inverse : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.view({2, 2}).inverse(); }
};

struct InverseUnchecked : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return std::get<0>(at::linalg_inv_ex(x.view({2, 2}))); }
};

struct Eigenvalues : Program {
  static constexpr const char* harmless_on_a_tape = "on a CPU it is one operator, which runs as a whole";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return std::get<0>(at::linalg_eigh(x.view({2, 2}))); }
};

struct HistogramWithoutBounds : Program {
  static constexpr const char* harmless_on_a_tape = "on a CPU it is one operator, which runs as a whole";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.histc(4); }
};

struct CrossEntropy : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return torch::nn::functional::cross_entropy(x.view({2, 2}), x.view({2, 2}).argmax(1)); }
};

struct Attention : Program {
  static constexpr const char* not_found = "torch::equal of one tensor looks at no value on a GPU";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor tokens = x.view({2, 1, 2});
    return std::get<0>(attention(tokens, tokens, tokens));
  }
  torch::nn::MultiheadAttention attention{2, 1};
};

struct AttentionToOthers : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    const Tensor memory = y.view({2, 1, 2});
    return std::get<0>(attention(x.view({2, 1, 2}), memory, memory));
  }
  torch::nn::MultiheadAttention attention{2, 1};
};

struct Covariance : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return torch::cov(x.view({2, 2})); }
};

struct Quantile : Program {
  static constexpr const char* not_found = "only of a tensor of the CPU LibTorch looks whether the fractions lie between 0 and 1";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return torch::quantile(x, 0.5); }
};

struct BranchOnAForm : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return x.is_floating_point() && !x.is_complex() && x.is_same_size(y) ? x + y : y; }
};

struct BranchOnAnOffset : Program {
  static constexpr const char* harmless_on_a_tape = "no call passes a part of a larger tensor";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.storage_offset() == 0 ? x + x : x; }
};

struct ScatteredAndGathered : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    const Tensor places = y.argsort();
    return x.scatter(0, places, y) + x.index_add(0, places, y) + x.index_copy(0, places, y) + x.put(places, y) + x.take(places);
  }
};

struct SearchedAndBinned : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    return torch::searchsorted(std::get<0>(y.sort()), x) + torch::bucketize(x, std::get<0>(y.sort())) + torch::isin(x, 1.0);
  }
};

struct Losses : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad, y: f32[4] grad)
  Tensor call(const Tensor& x, const Tensor& y) {
    const Tensor classes = y.view({2, 2}).argmax(1);
    return torch::nll_loss(x.view({2, 2}).log_softmax(1), classes) + torch::huber_loss(x, y) + torch::kl_div(x, y.sigmoid()) +
           torch::triplet_margin_loss(x.view({2, 2}), y.view({2, 2}), x.view({2, 2}) + 1);
  }
};

struct LossOfLengths : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor ones = torch::ones({1}, torch::kLong);
    return torch::ctc_loss(x.view({2, 1, 2}).log_softmax(2), ones.view({1, 1}), ones * 2, ones);
  }
};

struct SmoothedAndWeighted : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    const auto options = torch::nn::functional::CrossEntropyFuncOptions().weight(y.abs().slice(0, 0, 2)).label_smoothing(0.1);
    return torch::nn::functional::cross_entropy(x.view({2, 2}), y.view({2, 2}).argmax(1), options);
  }
};

struct Embedded : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    const Tensor places = y.gt(0).to(torch::kLong);
    return torch::embedding(x.view({2, 2}), places) + std::get<0>(torch::embedding_bag(x.view({2, 2}), places, torch::arange(4)));
  }
};

struct Distributions : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    return torch::multinomial(x.abs() + 0.1, 2).sum() + torch::poisson(x.abs()) + torch::empty_like(x).exponential_() +
           torch::_standard_gamma(x.abs() + 1);
  }
};

struct Determinants : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor square = x.view({2, 2});
    return torch::det(square) + std::get<0>(torch::linalg_qr(square)) + torch::matrix_power(square, 3) +
           torch::linalg_solve_triangular(square, square, true);
  }
};

struct Solved : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return torch::linalg_solve(x.view({2, 2}), y.view({2, 2})); }
};

struct SolvedUnchecked : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return std::get<0>(torch::linalg_solve_ex(x.view({2, 2}), y.view({2, 2}))); }
};

struct Cholesky : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor square = x.view({2, 2});
    return torch::linalg_cholesky(square.mm(square.t()) + torch::eye(2, x.options()));
  }
};

struct SingularValues : Program {
  static constexpr const char* harmless_on_a_tape = "on a CPU it is one operator, which runs as a whole";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return std::get<1>(torch::linalg_svd(x.view({2, 2}))); }
};

struct FilledWithATensor : Program {
  static constexpr const char* harmless_on_a_tape = "on a CPU nobody waits for the value, which the operator reads again in each replay";
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return x.masked_fill(x > 0, y.sum()); }
};

struct LinesBetweenTensors : Program {
  static constexpr const char* harmless_on_a_tape = "on a CPU it is one operator, which runs as a whole";
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return torch::linspace(x[0], y[0], 4); }
};

struct NormalOfDeviations : Program {
  static constexpr const char* harmless_on_a_tape = "on a CPU it is one operator, which runs as a whole";
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return at::normal(x, y.abs()); }
};

struct Layers : torch::nn::Module, Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    const Tensor image = x.view({1, 1, 2, 2});
    return torch::max_pool2d(image, 2).sum() + torch::layer_norm(x, {4}) + torch::conv1d(x.view({1, 1, 4}), y.view({1, 1, 4})).sum() +
           torch::scaled_dot_product_attention(x.view({1, 2, 2}), y.view({1, 2, 2}), y.view({1, 2, 2})).flatten() +
           torch::upsample_nearest1d(x.view({1, 1, 4}), 8).sum() + torch::grid_sampler(image, y.view({1, 1, 2, 2}), 0, 0, false).sum();
  }
};

}  // namespace operators

#include "operators.graphed.h"

void judge_operators() {
  using namespace operators;
  judged::judge<&Sorted::call, &Inverse::call, &InverseUnchecked::call, &Eigenvalues::call, &HistogramWithoutBounds::call,
                &CrossEntropy::call, &Attention::call, &AttentionToOthers::call, &Covariance::call, &Quantile::call, &BranchOnAForm::call,
                &BranchOnAnOffset::call, &ScatteredAndGathered::call, &SearchedAndBinned::call, &Losses::call, &LossOfLengths::call,
                &SmoothedAndWeighted::call, &Embedded::call, &Distributions::call, &Determinants::call, &Solved::call,
                &SolvedUnchecked::call, &Cholesky::call, &SingularValues::call, &FilledWithATensor::call, &LinesBetweenTensors::call,
                &NormalOfDeviations::call, &Layers::call>();
}
