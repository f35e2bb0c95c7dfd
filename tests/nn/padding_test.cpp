// SPDX-License-Identifier: Apache-2.0
//
// torch/nn/modules/padding.h and upsampling.h. On CUDA the backward of what repeats elements adds atomically, and has no deterministic
// form.
#include "walk.h"

namespace padding_test {

using namespace graphed;
using namespace graphed::testing;
namespace nn = torch::nn;

GRAPHED_MODULE_TEST_SUITE(PaddingModules);

TEST_P(PaddingModules, ReflectionPad1d) {
  walk(device(), [] { return calling(nn::ReflectionPad1d(2)); }, {real({2, 3, 5})}, with_exact_sums);
}
TEST_P(PaddingModules, ReflectionPad2d) {
  walk(device(), [] { return calling(nn::ReflectionPad2d(2)); }, {real({2, 3, 5, 5})}, with_exact_sums);
}
TEST_P(PaddingModules, ReflectionPad3d) {
  walk(device(), [] { return calling(nn::ReflectionPad3d(1)); }, {real({2, 3, 3, 3, 3})}, with_exact_sums);
}
TEST_P(PaddingModules, ReplicationPad1d) {
  walk(device(), [] { return calling(nn::ReplicationPad1d(2)); }, {real({2, 3, 5})}, with_exact_sums);
}
TEST_P(PaddingModules, ReplicationPad2d) {
  walk(device(), [] { return calling(nn::ReplicationPad2d(2)); }, {real({2, 3, 5, 5})}, with_exact_sums);
}
TEST_P(PaddingModules, ReplicationPad3d) {
  walk(device(), [] { return calling(nn::ReplicationPad3d(1)); }, {real({2, 3, 3, 3, 3})}, with_exact_sums);
}
TEST_P(PaddingModules, ZeroPad1d) {
  walk(device(), [] { return calling(nn::ZeroPad1d(2)); }, {real({2, 3, 5})});
}
TEST_P(PaddingModules, ZeroPad2d) {
  walk(device(), [] { return calling(nn::ZeroPad2d(2)); }, {real({2, 3, 5, 5})});
}
TEST_P(PaddingModules, ZeroPad3d) {
  walk(device(), [] { return calling(nn::ZeroPad3d(1)); }, {real({2, 3, 3, 3, 3})});
}
TEST_P(PaddingModules, ConstantPad1d) {
  walk(device(), [] { return calling(nn::ConstantPad1d(2, 3.5)); }, {real({2, 3, 5})});
}
TEST_P(PaddingModules, ConstantPad2d) {
  walk(device(), [] { return calling(nn::ConstantPad2d(2, 3.5)); }, {real({2, 3, 5, 5})});
}
TEST_P(PaddingModules, ConstantPad3d) {
  walk(device(), [] { return calling(nn::ConstantPad3d(1, 3.5)); }, {real({2, 3, 3, 3, 3})});
}

/// Twice as large: the weights of every mode are sums of powers of two.
nn::UpsampleOptions doubled() { return nn::UpsampleOptions().scale_factor(std::vector<double>{2, 2}); }

TEST_P(PaddingModules, Upsample) {
  walk(device(), [] { return calling(nn::Upsample(doubled().mode(torch::kNearest))); }, {real({2, 3, 4, 4})}, with_exact_sums);
}
TEST_P(PaddingModules, Upsample_Bilinear) {
  walk(
      device(), [] { return calling(nn::Upsample(doubled().mode(torch::kBilinear).align_corners(false))); }, {real({2, 3, 4, 4})},
      with_exact_sums);
}
TEST_P(PaddingModules, Upsample_Bicubic) {
  walk(
      device(), [] { return calling(nn::Upsample(doubled().mode(torch::kBicubic).align_corners(false))); }, {real({2, 3, 4, 4})},
      with_exact_sums);
}
TEST_P(PaddingModules, Upsample_Linear) {
  const auto make = [] {
    return calling(nn::Upsample(nn::UpsampleOptions().scale_factor(std::vector<double>{2}).mode(torch::kLinear).align_corners(false)));
  };
  walk(device(), make, {real({2, 3, 4})}, with_exact_sums);
}
TEST_P(PaddingModules, Upsample_Trilinear) {
  const auto make = [] {
    return calling(
        nn::Upsample(nn::UpsampleOptions().scale_factor(std::vector<double>{2, 2, 2}).mode(torch::kTrilinear).align_corners(false)));
  };
  walk(device(), make, {real({2, 3, 2, 4, 4})}, with_exact_sums);
}

}  // namespace padding_test
