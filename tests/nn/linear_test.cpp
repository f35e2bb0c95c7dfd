// SPDX-License-Identifier: Apache-2.0
//
// torch/nn/modules/linear.h, conv.h, distance.h, fold.h and pixelshuffle.h.
#include "walk.h"

namespace linear_test {

using namespace graphed;
using namespace graphed::testing;
namespace nn = torch::nn;

GRAPHED_MODULE_TEST_SUITE(LinearMaps);

TEST_P(LinearMaps, Identity) {
  walk(device(), [] { return calling(nn::Identity()); }, {real({4, 6})}, without_graphed_backward);
}
TEST_P(LinearMaps, Linear) {
  walk(device(), [] { return calling(nn::Linear(6, 5)); }, {real({4, 6})});
}
TEST_P(LinearMaps, Linear_WithoutBias) {
  walk(device(), [] { return calling(nn::Linear(nn::LinearOptions(6, 5).bias(false))); }, {real({3, 4, 6})});
}
// Their results are views of the argument: there is nothing to compute backward.
TEST_P(LinearMaps, Flatten) {
  walk(device(), [] { return calling(nn::Flatten()); }, {real({4, 2, 3})}, without_graphed_backward);
}
TEST_P(LinearMaps, Unflatten) {
  walk(device(), [] { return calling(nn::Unflatten(nn::UnflattenOptions(1, {2, 3}))); }, {real({4, 6})}, without_graphed_backward);
}
TEST_P(LinearMaps, Bilinear) {
  walk(device(), [] { return calling<2>(nn::Bilinear(6, 4, 5)); }, {real({3, 6}), real({3, 4})});
}
TEST_P(LinearMaps, CosineSimilarity) {
  walk(device(), [] { return calling<2>(nn::CosineSimilarity()); }, {real({4, 6}), real({4, 6})});
}
TEST_P(LinearMaps, PairwiseDistance) {
  walk(device(), [] { return calling<2>(nn::PairwiseDistance()); }, {real({4, 6}), real({4, 6})});
}
TEST_P(LinearMaps, Fold) {
  walk(device(), [] { return calling(nn::Fold(nn::FoldOptions({5, 5}, {2, 2}))); }, {real({2, 12, 16})});
}
TEST_P(LinearMaps, Unfold) {
  walk(device(), [] { return calling(nn::Unfold(nn::UnfoldOptions({2, 2}).padding(1))); }, {real({2, 3, 5, 5})});
}
TEST_P(LinearMaps, PixelShuffle) {
  walk(device(), [] { return calling(nn::PixelShuffle(2)); }, {real({2, 8, 3, 3})});
}
TEST_P(LinearMaps, PixelUnshuffle) {
  walk(device(), [] { return calling(nn::PixelUnshuffle(2)); }, {real({2, 2, 6, 6})});
}

GRAPHED_MODULE_TEST_SUITE(Convolution);

TEST_P(Convolution, Conv1d) {
  walk(device(), [] { return calling(nn::Conv1d(nn::Conv1dOptions(3, 4, 3).stride(2).padding(1))); }, {real({2, 3, 9})});
}
TEST_P(Convolution, Conv2d) {
  walk(device(), [] { return calling(nn::Conv2d(nn::Conv2dOptions(3, 4, 3).padding(1))); }, {real({2, 3, 8, 8})});
}
TEST_P(Convolution, Conv2d_DilatedInGroups) {
  walk(device(), [] { return calling(nn::Conv2d(nn::Conv2dOptions(4, 8, 3).dilation(2).groups(2).bias(false))); }, {real({2, 4, 8, 8})});
}
TEST_P(Convolution, Conv2d_PaddedCircularly) {
  walk(device(), [] { return calling(nn::Conv2d(nn::Conv2dOptions(3, 4, 3).padding(1).padding_mode(torch::kCircular))); },
       {real({2, 3, 6, 6})});
}
TEST_P(Convolution, Conv3d) {
  walk(device(), [] { return calling(nn::Conv3d(nn::Conv3dOptions(2, 3, 2))); }, {real({2, 2, 4, 4, 4})});
}
TEST_P(Convolution, ConvTranspose1d) {
  walk(device(), [] { return calling(nn::ConvTranspose1d(nn::ConvTranspose1dOptions(3, 4, 3).stride(2))); }, {real({2, 3, 5})});
}
TEST_P(Convolution, ConvTranspose2d) {
  walk(device(), [] { return calling(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(3, 4, 3).stride(2).output_padding(1))); },
       {real({2, 3, 5, 5})});
}
TEST_P(Convolution, ConvTranspose3d) {
  walk(device(), [] { return calling(nn::ConvTranspose3d(nn::ConvTranspose3dOptions(2, 3, 2))); }, {real({2, 2, 3, 3, 3})});
}

}  // namespace linear_test
