// SPDX-License-Identifier: Apache-2.0
//
// torch/nn/modules/activation.h and dropout.h.
#include "walk.h"

namespace activation_test {

using namespace graphed;
using namespace graphed::testing;
namespace nn = torch::nn;

GRAPHED_MODULE_TEST_SUITE(Activation);

TEST_P(Activation, ELU) {
  walk(device(), [] { return calling(nn::ELU(nn::ELUOptions().alpha(0.7))); }, {real({4, 6})});
}
TEST_P(Activation, SELU) {
  walk(device(), [] { return calling(nn::SELU()); }, {real({4, 6})});
}
TEST_P(Activation, Hardshrink) {
  walk(device(), [] { return calling(nn::Hardshrink(0.3)); }, {real({4, 6})});
}
TEST_P(Activation, Hardtanh) {
  walk(device(), [] { return calling(nn::Hardtanh(nn::HardtanhOptions().min_val(-0.5).max_val(0.7))); }, {real({4, 6})});
}
TEST_P(Activation, LeakyReLU) {
  walk(device(), [] { return calling(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2))); }, {real({4, 6})});
}
TEST_P(Activation, LogSigmoid) {
  walk(device(), [] { return calling(nn::LogSigmoid()); }, {real({4, 6})});
}
TEST_P(Activation, Softmax) {
  walk(device(), [] { return calling(nn::Softmax(1)); }, {real({4, 6})});
}
TEST_P(Activation, Softmin) {
  walk(device(), [] { return calling(nn::Softmin(1)); }, {real({4, 6})});
}
TEST_P(Activation, LogSoftmax) {
  walk(device(), [] { return calling(nn::LogSoftmax(1)); }, {real({4, 6})});
}
TEST_P(Activation, Softmax2d) {
  walk(device(), [] { return calling(nn::Softmax2d()); }, {real({2, 3, 4, 4})});
}
TEST_P(Activation, PReLU) {
  walk(device(), [] { return calling(nn::PReLU(nn::PReLUOptions().num_parameters(6))); }, {real({4, 6})});
}
TEST_P(Activation, ReLU) {
  walk(device(), [] { return calling(nn::ReLU()); }, {real({4, 6})});
}
TEST_P(Activation, ReLU6) {
  walk(device(), [] { return calling(nn::ReLU6()); }, {real({4, 6})});
}
TEST_P(Activation, RReLU) {
  walk(device(), [] { return calling(nn::RReLU(nn::RReLUOptions().lower(0.1).upper(0.4))); }, {real({4, 6})});
}
TEST_P(Activation, CELU) {
  walk(device(), [] { return calling(nn::CELU(nn::CELUOptions().alpha(0.7))); }, {real({4, 6})});
}
TEST_P(Activation, GLU) {
  walk(device(), [] { return calling(nn::GLU(1)); }, {real({4, 6})});
}
TEST_P(Activation, GELU) {
  walk(device(), [] { return calling(nn::GELU()); }, {real({4, 6})});
}
TEST_P(Activation, GELU_ByTanh) {
  walk(device(), [] { return calling(nn::GELU(nn::GELUOptions().approximate("tanh"))); }, {real({4, 6})});
}
TEST_P(Activation, SiLU) {
  walk(device(), [] { return calling(nn::SiLU()); }, {real({4, 6})});
}
TEST_P(Activation, Mish) {
  walk(device(), [] { return calling(nn::Mish()); }, {real({4, 6})});
}
TEST_P(Activation, Sigmoid) {
  walk(device(), [] { return calling(nn::Sigmoid()); }, {real({4, 6})});
}
TEST_P(Activation, Softplus) {
  walk(device(), [] { return calling(nn::Softplus(nn::SoftplusOptions().beta(0.5).threshold(1))); }, {real({4, 6})});
}
TEST_P(Activation, Softshrink) {
  walk(device(), [] { return calling(nn::Softshrink(0.3)); }, {real({4, 6})});
}
TEST_P(Activation, Softsign) {
  walk(device(), [] { return calling(nn::Softsign()); }, {real({4, 6})});
}
TEST_P(Activation, Tanh) {
  walk(device(), [] { return calling(nn::Tanh()); }, {real({4, 6})});
}
TEST_P(Activation, Tanhshrink) {
  walk(device(), [] { return calling(nn::Tanhshrink()); }, {real({4, 6})});
}
TEST_P(Activation, Threshold) {
  walk(device(), [] { return calling(nn::Threshold(0.1, 2)); }, {real({4, 6})});
}

GRAPHED_MODULE_TEST_SUITE(Dropping);

TEST_P(Dropping, Dropout) {
  walk(device(), [] { return calling(nn::Dropout(0.4)); }, {real({4, 6})}, that_only_trains);
}
TEST_P(Dropping, Dropout2d) {
  walk(device(), [] { return calling(nn::Dropout2d(0.4)); }, {real({2, 3, 4, 4})}, that_only_trains);
}
TEST_P(Dropping, Dropout3d) {
  walk(device(), [] { return calling(nn::Dropout3d(0.4)); }, {real({2, 3, 2, 4, 4})}, that_only_trains);
}
TEST_P(Dropping, AlphaDropout) {
  walk(device(), [] { return calling(nn::AlphaDropout(0.4)); }, {real({4, 6})}, that_only_trains);
}
TEST_P(Dropping, FeatureAlphaDropout) {
  walk(device(), [] { return calling(nn::FeatureAlphaDropout(0.4)); }, {real({2, 3, 4, 4})}, that_only_trains);
}

}  // namespace activation_test
