// SPDX-License-Identifier: Apache-2.0
//
// torch/nn/modules/pooling.h. On CUDA the backward of overlapping windows adds atomically, and has no deterministic form.
#include "walk.h"

namespace pooling_test {

using namespace graphed;
using namespace graphed::testing;
namespace nn = torch::nn;

GRAPHED_MODULE_TEST_SUITE(Pooling);

TEST_P(Pooling, AvgPool1d) {
  walk(device(), [] { return calling(nn::AvgPool1d(nn::AvgPool1dOptions(3).stride(2))); }, {real({2, 3, 9})});
}
TEST_P(Pooling, AvgPool2d) {
  walk(device(), [] { return calling(nn::AvgPool2d(nn::AvgPool2dOptions(3).stride(2).padding(1))); }, {real({2, 3, 8, 8})});
}
TEST_P(Pooling, AvgPool3d) {
  walk(device(), [] { return calling(nn::AvgPool3d(nn::AvgPool3dOptions(2).stride(1))); }, {real({2, 3, 4, 4, 4})}, with_exact_sums);
}
// Without gradients it computes on a CPU by a kernel of its own, which is not an operator.
TEST_P(Pooling, MaxPool1d) {
  walk(device(), [] { return calling(nn::MaxPool1d(nn::MaxPool1dOptions(3).stride(2))); }, {real({2, 3, 9})}, with_exact_sums);
}
TEST_P(Pooling, MaxPool2d) {
  walk(
      device(), [] { return calling(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).ceil_mode(true))); }, {real({2, 3, 8, 8})},
      with_exact_sums);
}
TEST_P(Pooling, MaxPool3d) {
  walk(device(), [] { return calling(nn::MaxPool3d(nn::MaxPool3dOptions(2).stride(1))); }, {real({2, 3, 4, 4, 4})}, with_exact_sums);
}
TEST_P(Pooling, MaxPool2d_WithIndices) {
  const auto make = []() -> called_module {
    nn::MaxPool2d pool(nn::MaxPool2dOptions(3).stride(2));
    return {pool.ptr(), [pool](tensor_list& in) mutable { return flat(pool->forward_with_indices(in[0])); }};
  };
  walk(device(), make, {real({2, 3, 9, 9})}, with_exact_sums);
}

// Windows of two, some of which overlap.
TEST_P(Pooling, AdaptiveAvgPool1d) {
  walk(device(), [] { return calling(nn::AdaptiveAvgPool1d(4)); }, {real({2, 3, 6})}, with_exact_sums);
}
TEST_P(Pooling, AdaptiveAvgPool2d) {
  walk(device(), [] { return calling(nn::AdaptiveAvgPool2d(4)); }, {real({2, 3, 6, 6})}, with_exact_sums);
}
TEST_P(Pooling, AdaptiveAvgPool3d) {
  walk(device(), [] { return calling(nn::AdaptiveAvgPool3d(4)); }, {real({2, 3, 6, 6, 6})}, with_exact_sums);
}
TEST_P(Pooling, AdaptiveMaxPool1d) {
  walk(device(), [] { return calling(nn::AdaptiveMaxPool1d(4)); }, {real({2, 3, 6})}, with_exact_sums);
}
TEST_P(Pooling, AdaptiveMaxPool2d) {
  walk(device(), [] { return calling(nn::AdaptiveMaxPool2d(4)); }, {real({2, 3, 6, 6})}, with_exact_sums);
}
TEST_P(Pooling, AdaptiveMaxPool3d) {
  walk(device(), [] { return calling(nn::AdaptiveMaxPool3d(4)); }, {real({2, 3, 6, 6, 6})}, with_exact_sums);
}

/// Puts what `Pool` took from its windows back.
template <class Pool, class Unpool>
called_module unpooling() {
  Pool pool(2);
  Unpool unpool(2);
  return {unpool.ptr(), [pool, unpool](tensor_list& in) mutable {
            const auto [values, indices] = pool->forward_with_indices(in[0]);
            return flat(unpool->forward(values, indices));
          }};
}
TEST_P(Pooling, MaxUnpool1d) { walk(device(), &unpooling<nn::MaxPool1d, nn::MaxUnpool1d>, {real({2, 3, 8})}); }
TEST_P(Pooling, MaxUnpool2d) { walk(device(), &unpooling<nn::MaxPool2d, nn::MaxUnpool2d>, {real({2, 3, 8, 8})}); }
TEST_P(Pooling, MaxUnpool3d) { walk(device(), &unpooling<nn::MaxPool3d, nn::MaxUnpool3d>, {real({2, 3, 4, 4, 4})}); }

TEST_P(Pooling, FractionalMaxPool2d) {
  walk(
      device(), [] { return calling(nn::FractionalMaxPool2d(nn::FractionalMaxPool2dOptions(2).output_size(4))); }, {real({2, 3, 7, 7})},
      with_exact_sums);
}
TEST_P(Pooling, FractionalMaxPool3d) {
  walk(
      device(), [] { return calling(nn::FractionalMaxPool3d(nn::FractionalMaxPool3dOptions(2).output_size(3))); }, {real({2, 3, 5, 5, 5})},
      with_exact_sums);
}
TEST_P(Pooling, LPPool1d) {
  walk(device(), [] { return calling(nn::LPPool1d(2, 2)); }, {real({2, 3, 8})});
}
TEST_P(Pooling, LPPool2d) {
  walk(device(), [] { return calling(nn::LPPool2d(2, 2)); }, {real({2, 3, 8, 8})});
}
TEST_P(Pooling, LPPool3d) {
  walk(device(), [] { return calling(nn::LPPool3d(2, 2)); }, {real({2, 3, 4, 4, 4})});
}

}  // namespace pooling_test
