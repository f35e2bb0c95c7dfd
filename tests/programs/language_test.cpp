// SPDX-License-Identifier: Apache-2.0
//
// Language models: a recurrent one, whose batches are columns of a text and whose state goes round, and one of attention.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/clip_grad.h>
#include <graphed/optim/adam.h>

#include <cmath>
#include <cstdint>

namespace language {

using at::Tensor;
using torch::indexing::Slice;

constexpr int64_t kRows = 4, kLength = 6, kWords = 20, kSize = 8, kLayers = 2, kHeads = 2;

struct Learned {
  Tensor loss, h, c;
};

class Recurrent : public torch::nn::Module {
 public:
  Recurrent() {
    register_module("embedding", embedding_);
    register_module("lstm", lstm_);
    register_module("decoder", decoder_);
  }

  GRAPHED(words: i64[kRows, kLength], next: i64[kRows, kLength], h: f32[kLayers, kRows, kSize], c: f32[kLayers, kRows, kSize]; step)
  Learned learn(const Tensor& words, const Tensor& next, const Tensor& h, const Tensor& c) {
    const auto [out, state] = lstm_(embedding_(words), std::make_tuple(h, c));
    const Tensor loss = torch::nn::functional::cross_entropy(decoder_(out.reshape({-1, kSize})), next.reshape(-1));
    optimizer_.zero_grad();
    loss.backward();
    graphed::clip_grad_norm_(parameters(), 0.5);
    optimizer_.step();
    return {loss.detach(), std::get<0>(state).detach(), std::get<1>(state).detach()};
  }

 private:
  torch::nn::Embedding embedding_{kWords, kSize};
  torch::nn::LSTM lstm_{torch::nn::LSTMOptions(kSize, kSize).num_layers(kLayers).batch_first(true)};
  torch::nn::Linear decoder_{kSize, kWords};
  graphed::optim::Adam optimizer_{parameters_of_all(), graphed::optim::AdamOptions(1e-2)};

  std::vector<Tensor> parameters_of_all() {
    std::vector<Tensor> all = embedding_->parameters();
    for (const auto& more : {lstm_->parameters(), decoder_->parameters()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
};

/// Its positions and its mask are made on the host in each call.
class Attentive : public torch::nn::Module {
 public:
  Attentive() {
    register_module("words", words_);
    register_module("positions", positions_);
    register_module("projection", projection_);
    register_module("decoder", decoder_);
  }

  GRAPHED(words: i64[B, T]; B in {1, kRows}, T in {4, kLength})
  Tensor forward(const Tensor& words) {
    const int64_t rows = words.size(0), length = words.size(1);
    const Tensor x = words_(words) + positions_(torch::arange(length).to(words.device()));
    const auto parts = projection_(x).view({rows, length, 3, kHeads, kSize / kHeads}).permute({2, 0, 3, 1, 4}).unbind(0);
    const Tensor mask = torch::ones({length, length}).tril().to(words.device());
    const Tensor scores = parts[0].matmul(parts[1].transpose(-2, -1)) / std::sqrt(static_cast<double>(kSize / kHeads));
    const Tensor weights = torch::softmax(scores.masked_fill(mask == 0, -1e9), -1);
    return decoder_(weights.matmul(parts[2]).transpose(1, 2).reshape({rows, length, kSize}));
  }

 private:
  torch::nn::Embedding words_{kWords, kSize}, positions_{kLength, kSize};
  torch::nn::Linear projection_{kSize, 3 * kSize}, decoder_{kSize, kWords};
};

}  // namespace language

#include "language_test.graphed.h"

namespace language {

using programs::program;
using programs::scenario;

GRAPHED_DEVICE_TEST_SUITE(Language);

Tensor text(const scenario& run, int64_t length) { return torch::randint(kWords, {kRows, length}, run.options(torch::kLong)); }

TEST_P(Language, ColumnsOfATextWithTheStateOfTheLastOnes) {
  expect_same([](scenario& run) {
    Recurrent model;
    model.to(run.device());
    program<&Recurrent::learn> learn(run, model);
    const Tensor ids = text(run, 61);
    Learned last{{}, torch::zeros({kLayers, kRows, kSize}, run.options()), torch::zeros({kLayers, kRows, kSize}, run.options())};
    for (int64_t i = 0; i + kLength < ids.size(1); i += kLength) {
      last = learn(ids.index({Slice(), Slice(i, i + kLength)}), ids.index({Slice(), Slice(i + 1, i + 1 + kLength)}), last.h, last.c);
      run.see("loss", last.loss);
    }
    run.see("h", last.h);
    run.see("c", last.c);
    programs::see_parameters(run, model);
    learn.expect(3, 7);
  });
}

TEST_P(Language, PositionsAndAMaskForEachLength) {
  expect_same([](scenario& run) {
    Attentive model;
    model.to(run.device());
    program<&Attentive::forward> forward(run, model);
    const torch::NoGradGuard no_grad;
    for (int call = 0; call < 5; ++call) {
      for (const int64_t length : {int64_t{4}, kLength}) {
        run.see("scores", forward(text(run, length)));
        run.see("scores of a row", forward(text(run, length).slice(0, 0, 1)));
      }
    }
    forward.expect(3 * 4, 2 * 4, 4);
  });
}

}  // namespace language
