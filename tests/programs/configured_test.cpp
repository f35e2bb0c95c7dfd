// SPDX-License-Identifier: Apache-2.0
//
// Lists of tensors: feature maps of several sizes, and a cache that grows. Besides, a library's module that the program cannot annotate.
#include "program.h"

#include <graphed/annotate.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace configured {

using at::Tensor;

constexpr int64_t kImages = 2, kSize = 8;

/// A detector's heads on feature maps of falling resolution.
struct HeadsImpl : torch::nn::Module {
  HeadsImpl() {
    register_module("fine", fine);
    register_module("coarse", coarse);
  }

  GRAPHED(features: {f32[kImages, 4, 8, 8], f32[kImages, 8, 4, 4]})
  Tensor forward(const std::vector<Tensor>& features) {
    return torch::cat({fine(features[0]).flatten(2), coarse(features[1]).flatten(2)}, 2).sigmoid();
  }

  torch::nn::Conv2d fine{torch::nn::Conv2dOptions(4, 6, 1)}, coarse{torch::nn::Conv2dOptions(8, 6, 1)};
};
TORCH_MODULE(Heads);

/// Keys of the tokens before, none at first.
struct DecoderImpl : torch::nn::Module {
  DecoderImpl() { register_module("projection", projection); }

  GRAPHED(past: f32[kImages, 3, kSize] * N, x: f32[kImages, 1, kSize]; N in {0, 1, 2})
  Tensor decode(const std::vector<Tensor>& past, const Tensor& x) {
    std::vector<Tensor> keys = past;
    keys.push_back(x);
    const Tensor all = torch::cat(keys, 1);
    const Tensor weights = torch::softmax(projection(x).matmul(all.transpose(1, 2)) / std::sqrt(static_cast<double>(kSize)), -1);
    return weights.matmul(all);
  }

  torch::nn::Linear projection{kSize, kSize};
};
TORCH_MODULE(Decoder);

}  // namespace configured

GRAPHED_FOR(&torch::nn::GRUCellImpl::forward, input: f32[3, 4], hx: f32[3, 8]);

#include "configured_test.graphed.h"

namespace configured {

using programs::program;
using programs::scenario;

GRAPHED_DEVICE_TEST_SUITE(Configured);

TEST_P(Configured, FeatureMapsOfSeveralSizes) {
  expect_same([](scenario& run) {
    Heads heads;
    heads->to(run.device());
    program<&HeadsImpl::forward> forward(run, *heads);
    for (int call = 0; call < 8; ++call) {
      run.see("scores", forward(std::vector<Tensor>{run.random({kImages, 4, 8, 8}), run.random({kImages, 8, 4, 4})}));
    }
    forward.expect(3, 5);
  });
}

TEST_P(Configured, ACacheThatGrows) {
  expect_same([](scenario& run) {
    Decoder decoder;
    decoder->to(run.device());
    program<&DecoderImpl::decode> decode(run, *decoder);
    const torch::NoGradGuard no_grad;
    for (int text = 0; text < 5; ++text) {
      std::vector<Tensor> past;
      for (int token = 0; token < 3; ++token) {
        run.see("decoded", decode(past, run.random({kImages, 1, kSize})));
        past.push_back(run.random({kImages, 3, kSize}));
      }
    }
    decode.expect(3 * 3, 3 * 2, 3);
  });
}

TEST_P(Configured, AModuleOfALibrary) {
  expect_same([](scenario& run) {
    torch::nn::GRUCell cell(4, 8);
    cell->to(run.device());
    program<&torch::nn::GRUCellImpl::forward> forward(run, *cell);
    const torch::NoGradGuard no_grad;
    Tensor state = torch::zeros({3, 8}, run.options());
    for (int step = 0; step < 8; ++step) {
      state = forward(run.random({3, 4}), state);
      run.see("state", state);
    }
    forward.expect(3, 5);
  });
}

}  // namespace configured
