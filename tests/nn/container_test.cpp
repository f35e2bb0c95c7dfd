// SPDX-License-Identifier: Apache-2.0
//
// torch/nn/modules/container: each holds the parameters of what is called.
#include "walk.h"

namespace container_test {

using namespace graphed;
using namespace graphed::testing;
namespace nn = torch::nn;

GRAPHED_MODULE_TEST_SUITE(Containers);

TEST_P(Containers, Functional) {
  walk(device(), [] { return calling(nn::Functional([](const at::Tensor& x) { return x.sin() * 2; })); }, {real({4, 6})});
}

TEST_P(Containers, Sequential) {
  const auto make = [] {
    return calling(nn::Sequential(nn::Linear(6, 8), nn::BatchNorm1d(8), nn::ReLU(nn::ReLUOptions(true)), nn::Dropout(0.3), nn::Linear(8, 3),
                                  nn::LogSoftmax(1)));
  };
  walk(device(), make, {real({4, 6})});
}

TEST_P(Containers, ModuleList) {
  const auto make = []() -> called_module {
    nn::ModuleList list(nn::Linear(6, 6), nn::Linear(6, 6));
    return {list.ptr(), [list](tensor_list& in) mutable {
              at::Tensor x = in[0];
              for (std::size_t i = 0; i < list->size(); ++i) {
                x = x + list->at<nn::LinearImpl>(i).forward(x);
              }
              return tensor_list{x};
            }};
  };
  walk(device(), make, {real({4, 6})});
}

TEST_P(Containers, ModuleDict) {
  const auto make = []() -> called_module {
    using named = std::pair<std::string, std::shared_ptr<nn::Module>>;
    nn::ModuleDict dict(std::vector<named>{{"body", nn::Linear(6, 5).ptr()}, {"head", nn::Linear(5, 2).ptr()}});
    return {dict.ptr(), [dict](tensor_list& in) mutable {
              const at::Tensor hidden = dict->at<nn::LinearImpl>("body").forward(in[0]).tanh();
              return tensor_list{dict->at<nn::LinearImpl>("head").forward(hidden), hidden};
            }};
  };
  walk(device(), make, {real({4, 6})});
}

TEST_P(Containers, ParameterList) {
  const auto make = []() -> called_module {
    nn::ParameterList list(torch::randn({6, 5}), torch::randn({5}));
    return {list.ptr(), [list](tensor_list& in) mutable { return tensor_list{at::addmm(list->at(1), in[0], list->at(0))}; }};
  };
  walk(device(), make, {real({4, 6})});
}

TEST_P(Containers, ParameterDict) {
  const auto make = []() -> called_module {
    nn::ParameterDict dict;
    dict->insert("scale", torch::randn({6}));
    dict->insert("shift", torch::randn({6}));
    return {dict.ptr(), [dict](tensor_list& in) mutable { return tensor_list{in[0] * dict->get("scale") + dict->get("shift")}; }};
  };
  walk(device(), make, {real({4, 6})});
}

}  // namespace container_test
