// SPDX-License-Identifier: Apache-2.0
//
// torch/nn/modules/loss.h and adaptive.h.
#include "walk.h"

namespace loss_test {

using namespace graphed;
using namespace graphed::testing;
namespace nn = torch::nn;

GRAPHED_MODULE_TEST_SUITE(Losses);

TEST_P(Losses, L1Loss) {
  walk(device(), [] { return calling<2>(nn::L1Loss()); }, {real({4, 6}), constant({4, 6})});
}
TEST_P(Losses, KLDivLoss) {
  walk(device(), [] { return calling<2>(nn::KLDivLoss(nn::KLDivLossOptions().reduction(torch::kBatchMean))); },
       {real({4, 6}), probability({4, 6})});
}
TEST_P(Losses, MSELoss) {
  walk(device(), [] { return calling<2>(nn::MSELoss()); }, {real({4, 6}), real({4, 6})});
}
TEST_P(Losses, BCELoss) {
  walk(device(), [] { return calling<2>(nn::BCELoss()); }, {probability({4, 6}, /*grad=*/true), probability({4, 6})});
}
TEST_P(Losses, BCEWithLogitsLoss) {
  const auto make = [] { return calling<2>(nn::BCEWithLogitsLoss(nn::BCEWithLogitsLossOptions().pos_weight(torch::full({6}, 2.0)))); };
  walk(device(), make, {real({4, 6}), probability({4, 6})});
}
TEST_P(Losses, HingeEmbeddingLoss) {
  walk(device(), [] { return calling<2>(nn::HingeEmbeddingLoss()); }, {real({4, 6}), sign({4, 6})});
}
TEST_P(Losses, MultiMarginLoss) {
  walk(device(), [] { return calling<2>(nn::MultiMarginLoss()); }, {real({4, 6}), index({4}, 0, 6)});
}
TEST_P(Losses, CosineEmbeddingLoss) {
  walk(device(), [] { return calling<3>(nn::CosineEmbeddingLoss()); }, {real({4, 6}), real({4, 6}), sign({4})});
}
TEST_P(Losses, SmoothL1Loss) {
  walk(device(), [] { return calling<2>(nn::SmoothL1Loss()); }, {real({4, 6}), constant({4, 6})});
}
TEST_P(Losses, HuberLoss) {
  walk(device(), [] { return calling<2>(nn::HuberLoss()); }, {real({4, 6}), constant({4, 6})});
}
TEST_P(Losses, MultiLabelMarginLoss) {
  walk(device(), [] { return calling<2>(nn::MultiLabelMarginLoss()); }, {real({4, 6}), index({4, 6}, -1, 6)});
}
TEST_P(Losses, SoftMarginLoss) {
  walk(device(), [] { return calling<2>(nn::SoftMarginLoss()); }, {real({4, 6}), sign({4, 6})});
}
TEST_P(Losses, MultiLabelSoftMarginLoss) {
  walk(device(), [] { return calling<2>(nn::MultiLabelSoftMarginLoss()); }, {real({4, 6}), probability({4, 6})});
}
TEST_P(Losses, TripletMarginLoss) {
  walk(device(), [] { return calling<3>(nn::TripletMarginLoss()); }, {real({4, 6}), real({4, 6}), real({4, 6})});
}
TEST_P(Losses, TripletMarginWithDistanceLoss) {
  const auto make = [] {
    const auto distance = [](const at::Tensor& x, const at::Tensor& y) { return (x - y).abs().sum(1); };
    return calling<3>(nn::TripletMarginWithDistanceLoss(nn::TripletMarginWithDistanceLossOptions().distance_function(distance).swap(true)));
  };
  walk(device(), make, {real({4, 6}), real({4, 6}), real({4, 6})});
}
TEST_P(Losses, PoissonNLLLoss) {
  walk(device(), [] { return calling<2>(nn::PoissonNLLLoss(nn::PoissonNLLLossOptions().full(true))); },
       {real({4, 6}), probability({4, 6})});
}
TEST_P(Losses, MarginRankingLoss) {
  walk(device(), [] { return calling<3>(nn::MarginRankingLoss()); }, {real({4}), real({4}), sign({4})});
}
TEST_P(Losses, NLLLoss) {
  const auto make = [] { return calling<2>(nn::NLLLoss(nn::NLLLossOptions().weight(torch::rand({6})).ignore_index(2))); };
  walk(device(), make, {real({4, 6}), index({4}, 0, 6)});
}
TEST_P(Losses, CrossEntropyLoss) {
  walk(device(), [] { return calling<2>(nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().label_smoothing(0.1))); },
       {real({4, 6}), index({4}, 0, 6)});
}

// Its kernels want the lengths on the host. They are the same in each call: others would be noticed before.
TEST_P(Losses, CTCLoss) {
  const auto make = []() -> called_module {
    nn::CTCLoss loss(nn::CTCLossOptions().reduction(torch::kSum));
    return {loss.ptr(), [loss](tensor_list& in) mutable { return tensor_list{loss->forward(in[0].log_softmax(2), in[1], in[2], in[3])}; }};
  };
  if (!device().is_cpu()) {
    GTEST_SKIP() << "the order of its backward's sums differs from run to run";
  }
  expect_refused(device(), make, {real({10, 2, 5}), index({2, 4}, 1, 5), index({2}, 9, 10), index({2}, 4, 5)},
                 {"capture failed", "aten::_ctc_loss (", "outside of the callable"});
}

// It looks for the rows of each cluster, and returns its loss as a number.
TEST_P(Losses, AdaptiveLogSoftmaxWithLoss) {
  const auto make = [] {
    return calling<2>(nn::AdaptiveLogSoftmaxWithLoss(nn::AdaptiveLogSoftmaxWithLossOptions(16, 10, {3, 6}).div_value(2)));
  };
  expect_refused(device(), make, {real({32, 16}), index({32}, 0, 10)}, {"capture failed", "aten::nonzero (", "torch::where"});
}

}  // namespace loss_test
