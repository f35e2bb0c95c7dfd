// SPDX-License-Identifier: Apache-2.0
//
// torch/nn/modules/batchnorm.h, instancenorm.h and normalization.h.
#include "walk.h"

namespace normalization_test {

using namespace graphed;
using namespace graphed::testing;
namespace nn = torch::nn;

GRAPHED_MODULE_TEST_SUITE(Normalization);

TEST_P(Normalization, BatchNorm1d) {
  walk(device(), [] { return calling(nn::BatchNorm1d(6)); }, {real({8, 6})});
}
TEST_P(Normalization, BatchNorm2d) {
  walk(device(), [] { return calling(nn::BatchNorm2d(3)); }, {real({4, 3, 5, 5})});
}
TEST_P(Normalization, BatchNorm2d_WithoutStatistics) {
  walk(device(), [] { return calling(nn::BatchNorm2d(nn::BatchNorm2dOptions(3).affine(false).track_running_stats(false))); },
       {real({4, 3, 5, 5})});
}
TEST_P(Normalization, BatchNorm3d) {
  walk(device(), [] { return calling(nn::BatchNorm3d(3)); }, {real({4, 3, 2, 4, 4})});
}
// Its average's weight is one over the number of batches, which it reads on the host.
TEST_P(Normalization, BatchNorm1d_WithCumulativeAverage) {
  expect_refused(device(), [] { return calling(nn::BatchNorm1d(nn::BatchNorm1dOptions(6).momentum(std::nullopt))); }, {real({8, 6})},
                 {"capture failed", "aten::_local_scalar_dense", "'live'"});
}
TEST_P(Normalization, InstanceNorm1d) {
  walk(device(), [] { return calling(nn::InstanceNorm1d(3)); }, {real({4, 3, 6})});
}
TEST_P(Normalization, InstanceNorm2d) {
  walk(device(), [] { return calling(nn::InstanceNorm2d(nn::InstanceNorm2dOptions(3).affine(true).track_running_stats(true))); },
       {real({4, 3, 5, 5})});
}
TEST_P(Normalization, InstanceNorm3d) {
  walk(device(), [] { return calling(nn::InstanceNorm3d(nn::InstanceNorm3dOptions(3).affine(true))); }, {real({2, 3, 2, 4, 4})});
}
TEST_P(Normalization, LayerNorm) {
  walk(device(), [] { return calling(nn::LayerNorm(nn::LayerNormOptions({4, 6}))); }, {real({3, 4, 6})});
}
TEST_P(Normalization, LayerNorm_WithoutWeights) {
  walk(device(), [] { return calling(nn::LayerNorm(nn::LayerNormOptions({6}).elementwise_affine(false))); }, {real({3, 6})});
}
TEST_P(Normalization, LocalResponseNorm) {
  walk(device(), [] { return calling(nn::LocalResponseNorm(2)); }, {real({2, 4, 5, 5})});
}
TEST_P(Normalization, CrossMapLRN2d) {
  walk(device(), [] { return calling(nn::CrossMapLRN2d(3)); }, {real({2, 4, 5, 5})});
}
TEST_P(Normalization, GroupNorm) {
  walk(device(), [] { return calling(nn::GroupNorm(2, 6)); }, {real({3, 6, 4, 4})});
}

}  // namespace normalization_test
