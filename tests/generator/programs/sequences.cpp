// SPDX-License-Identifier: Apache-2.0
//
// What reads and writes: recurrent networks, transformers, sampling and beam search, as public programs have them.
// tests/generator/programs/README.md shows of each what graphgen says, and why.
#include <graphed/annotate.h>
#include <graphed/scalar.h>

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace sequences {

using torch::indexing::None;
using torch::indexing::Slice;

constexpr int64_t kBatch = 8, kLength = 32, kWidth = 64, kHeads = 4, kVocabulary = 128, kBeams = 5, kEnd = 2;
constexpr float kNever = -std::numeric_limits<float>::infinity();

class WordModelImpl : public torch::nn::Module {
 public:
  WordModelImpl() {
    register_module("words", words_);
    register_module("lstm", lstm_);
    register_module("head", head_);
  }

  GRAPHED(tokens: i64[kLength, kBatch], state: {f32[2, kBatch, kWidth], f32[2, kBatch, kWidth]})
  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(const torch::Tensor& tokens,
                                                                  std::tuple<torch::Tensor, torch::Tensor> state) {
    const torch::Tensor embedded = torch::dropout(words_->forward(tokens), 0.2, is_training());
    torch::Tensor output;
    std::tie(output, state) = lstm_->forward(embedded, state);
    return {head_->forward(output), std::get<0>(state).detach(), std::get<1>(state).detach()};
  }

 private:
  torch::nn::Embedding words_{kVocabulary, kWidth};
  torch::nn::LSTM lstm_{torch::nn::LSTMOptions(kWidth, kWidth).num_layers(2)};
  torch::nn::Linear head_{kWidth, kVocabulary};
};
TORCH_MODULE(WordModel);

class CharacterModelImpl : public torch::nn::Module {
 public:
  CharacterModelImpl() {
    register_module("lstm", lstm_);
    register_module("head", head_);
    reset();
  }

  void reset() { state_ = std::make_tuple(torch::zeros({1, kBatch, kWidth}), torch::zeros({1, kBatch, kWidth})); }

  GRAPHED(characters: i64[1, kBatch])
  torch::Tensor next(const torch::Tensor& characters) {
    torch::Tensor output;
    std::tie(output, state_) = lstm_->forward(torch::one_hot(characters, kWidth).to(torch::kFloat), state_);
    return head_->forward(output.squeeze(0));
  }

 private:
  torch::nn::LSTM lstm_{torch::nn::LSTMOptions(kWidth, kWidth)};
  torch::nn::Linear head_{kWidth, kWidth};
  std::tuple<torch::Tensor, torch::Tensor> state_;
};
TORCH_MODULE(CharacterModel);

class SelfAttentionImpl : public torch::nn::Module {
 public:
  SelfAttentionImpl() {
    register_module("project", project_);
    register_module("output", output_);
    mask_ = register_buffer("mask", torch::tril(torch::ones({kLength, kLength})).view({1, 1, kLength, kLength}));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const int64_t batch = x.size(0), length = x.size(1);
    const std::vector<torch::Tensor> parts = project_->forward(x).split(kWidth, 2);
    const auto heads = [&](const torch::Tensor& part) { return part.view({batch, length, kHeads, kWidth / kHeads}).transpose(1, 2); };
    torch::Tensor scores = heads(parts[0]).matmul(heads(parts[1]).transpose(-2, -1)) / std::sqrt(static_cast<double>(kWidth) / kHeads);
    scores = scores.masked_fill(mask_.index({Slice(), Slice(), Slice(None, length), Slice(None, length)}) == 0, kNever);
    const torch::Tensor mixed = torch::softmax(scores, -1).matmul(heads(parts[2]));
    return output_->forward(mixed.transpose(1, 2).contiguous().view({batch, length, kWidth}));
  }

 private:
  torch::nn::Linear project_{kWidth, 3 * kWidth}, output_{kWidth, kWidth};
  torch::Tensor mask_;
};
TORCH_MODULE(SelfAttention);

class GptImpl : public torch::nn::Module {
 public:
  explicit GptImpl(int layers = 2) {
    register_module("words", words_);
    register_module("places", places_);
    register_module("head", head_);
    for (int layer = 0; layer < layers; ++layer) {
      attention_->push_back(SelfAttention());
      norms_->push_back(torch::nn::LayerNorm(torch::nn::LayerNormOptions({kWidth})));
    }
    register_module("attention", attention_);
    register_module("norms", norms_);
  }

  GRAPHED(tokens: i64[B, kLength]; B in {1, kBatch})
  torch::Tensor forward(const torch::Tensor& tokens) {
    TORCH_CHECK(tokens.size(1) <= kLength, "the sequence is too long: ", tokens.size(1));
    const torch::Tensor places = torch::arange(tokens.size(1), tokens.options());
    torch::Tensor x = words_->forward(tokens) + places_->forward(places);
    for (size_t layer = 0; layer < attention_->size(); ++layer) {
      x = x + attention_[layer]->as<SelfAttention>()->forward(norms_[layer]->as<torch::nn::LayerNorm>()->forward(x));
    }
    return head_->forward(x);
  }

  GRAPHED(tokens: i64[kBatch, kLength], wanted: i64[kBatch, kLength])
  torch::Tensor loss(const torch::Tensor& tokens, const torch::Tensor& wanted) {
    return torch::cross_entropy_loss(forward(tokens).view({-1, kVocabulary}), wanted.view(-1), {}, at::Reduction::Mean,
                                     /*ignore_index=*/-1);
  }

 private:
  torch::nn::Embedding words_{kVocabulary, kWidth}, places_{kLength, kWidth};
  torch::nn::ModuleList attention_, norms_;
  torch::nn::Linear head_{kWidth, kVocabulary};
};
TORCH_MODULE(Gpt);

class CountingCacheImpl : public torch::nn::Module {
 public:
  CountingCacheImpl() {
    register_module("project", project_);
    keys_ = register_buffer("keys", torch::zeros({kBatch, kLength, kWidth}));
    values_ = register_buffer("values", torch::zeros({kBatch, kLength, kWidth}));
  }

  GRAPHED(x: f32[kBatch, 1, kWidth])
  torch::Tensor decode(const torch::Tensor& x) {
    torch::NoGradGuard no_grad;
    const std::vector<torch::Tensor> parts = project_->forward(x).chunk(3, -1);
    keys_.index_put_({Slice(), Slice(position_, position_ + 1)}, parts[1]);
    values_.index_put_({Slice(), Slice(position_, position_ + 1)}, parts[2]);
    position_++;
    const torch::Tensor scores = parts[0].matmul(keys_.slice(1, 0, position_).transpose(1, 2)) / std::sqrt(static_cast<double>(kWidth));
    return torch::softmax(scores, -1).matmul(values_.slice(1, 0, position_));
  }

 private:
  torch::nn::Linear project_{kWidth, 3 * kWidth};
  torch::Tensor keys_, values_;
  int64_t position_ = 0;
};
TORCH_MODULE(CountingCache);

class DeviceCacheImpl : public torch::nn::Module {
 public:
  DeviceCacheImpl() {
    register_module("project", project_);
    keys_ = register_buffer("keys", torch::zeros({kBatch, kLength, kWidth}));
    values_ = register_buffer("values", torch::zeros({kBatch, kLength, kWidth}));
  }

  GRAPHED(x: f32[kBatch, 1, kWidth], position: i64[1])
  torch::Tensor decode(const torch::Tensor& x, const torch::Tensor& position) {
    torch::NoGradGuard no_grad;
    const std::vector<torch::Tensor> parts = project_->forward(x).chunk(3, -1);
    keys_.index_copy_(1, position, parts[1]);
    values_.index_copy_(1, position, parts[2]);
    const torch::Tensor later = torch::arange(kLength, position.options()) > position;
    const torch::Tensor scores = parts[0].matmul(keys_.transpose(1, 2)) / std::sqrt(static_cast<double>(kWidth));
    return torch::softmax(scores.masked_fill(later, kNever), -1).matmul(values_);
  }

 private:
  torch::nn::Linear project_{kWidth, 3 * kWidth};
  torch::Tensor keys_, values_;
};
TORCH_MODULE(DeviceCache);

GRAPHED(logits: f32[kBatch, kVocabulary], temperature: live)
torch::Tensor sample_top_k(const torch::Tensor& logits, const graphed::Scalar& temperature) {
  const auto [best, index] = (logits / temperature.like(logits)).topk(40);
  const torch::Tensor chosen = torch::multinomial(torch::softmax(best, -1), 1);
  return index.gather(-1, chosen).squeeze(-1);
}

GRAPHED(logits: f32[kBatch, kVocabulary], p: const)
torch::Tensor sample_top_p(const torch::Tensor& logits, double p) {
  auto [sorted, index] = logits.sort(-1, /*descending=*/true);
  const torch::Tensor before = torch::softmax(sorted, -1).cumsum(-1) - torch::softmax(sorted, -1);
  sorted.index_put_({before > p}, kNever);
  return index.gather(-1, torch::multinomial(torch::softmax(sorted, -1), 1)).squeeze(-1);
}

class BeamSearch {
 public:
  GRAPHED(log_probabilities: f32[kBeams, kVocabulary])
  torch::Tensor advance(const torch::Tensor& log_probabilities) {
    const torch::Tensor total = log_probabilities + scores_.unsqueeze(-1);
    const auto [best, flat] = total.view(-1).topk(kBeams);
    scores_ = best;
    parents_.push_back(torch::floor_divide(flat, kVocabulary));
    tokens_.push_back(flat.remainder(kVocabulary));
    if (tokens_.back()[0].item<int64_t>() == kEnd) {
      done_ = true;
    }
    return tokens_.back();
  }

 private:
  torch::Tensor scores_ = torch::zeros({kBeams});
  std::vector<torch::Tensor> parents_, tokens_;
  bool done_ = false;
};

struct Beams {
  torch::Tensor scores, tokens, finished;
};

GRAPHED(log_probabilities: f32[kBeams, kVocabulary],
        beams: {scores: f32[kBeams], tokens: i64[kBeams, kLength], finished: bool[kBeams]})
Beams extend(torch::Tensor log_probabilities, const Beams& beams) {
  const torch::Tensor only_end = torch::full_like(log_probabilities, kNever);
  only_end.select(1, kEnd).zero_();
  log_probabilities = torch::where(beams.finished.unsqueeze(1), only_end, log_probabilities);
  const auto [scores, flat] = (log_probabilities + beams.scores.unsqueeze(1)).view(-1).topk(kBeams);
  const torch::Tensor parent = torch::floor_divide(flat, kVocabulary), token = flat.remainder(kVocabulary);
  const torch::Tensor tokens = torch::cat({beams.tokens.index_select(0, parent).slice(1, 1), token.unsqueeze(1)}, 1);
  return {scores, tokens, beams.finished.index_select(0, parent).logical_or(token == kEnd)};
}

class GreedyTranslator {
 public:
  GRAPHED(source: i64[kBatch, kLength])
  torch::Tensor translate(const torch::Tensor& source) {
    torch::NoGradGuard no_grad;
    torch::Tensor tokens = torch::zeros({kBatch, kLength}, source.options());
    torch::Tensor finished = torch::zeros({kBatch}, source.options().dtype(torch::kBool));
    for (int64_t place = 1; place < kLength; ++place) {
      const torch::Tensor logits = model_->forward(tokens).select(1, place - 1) + bias_->forward(source).mean(1);
      const torch::Tensor next = logits.argmax(-1);
      tokens.select(1, place).copy_(next);
      finished = finished.logical_or(next == kEnd);
      if (finished.all().item<bool>()) {
        break;
      }
    }
    return tokens;
  }

 private:
  Gpt model_;
  torch::nn::Embedding bias_{kVocabulary, kVocabulary};
};

class EncoderImpl : public torch::nn::Module {
 public:
  EncoderImpl() {
    register_module("words", words_);
    register_module("layers", layers_);
    register_module("pool", pool_);
  }

  GRAPHED(tokens: i64[kLength, kBatch])
  torch::Tensor forward(const torch::Tensor& tokens) {
    const torch::Tensor x = layers_->forward(words_->forward(tokens) * std::sqrt(static_cast<double>(kWidth)));
    return std::get<0>(pool_->forward(x.mean(0, true), x, x)).squeeze(0);
  }

 private:
  torch::nn::Embedding words_{kVocabulary, kWidth};
  torch::nn::TransformerEncoder layers_{torch::nn::TransformerEncoderLayer(torch::nn::TransformerEncoderLayerOptions(kWidth, kHeads)), 2};
  torch::nn::MultiheadAttention pool_{torch::nn::MultiheadAttentionOptions(kWidth, kHeads)};
};
TORCH_MODULE(Encoder);

class PackedGruImpl : public torch::nn::Module {
 public:
  PackedGruImpl() { register_module("gru", gru_); }

  GRAPHED(x: f32[kLength, kBatch, kWidth], lengths: i64[kBatch])
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& lengths) {
    const auto packed = torch::nn::utils::rnn::pack_padded_sequence(x, lengths.cpu(), false, false);
    const auto output = gru_->forward_with_packed_input(packed);
    return std::get<1>(output).squeeze(0);
  }

 private:
  torch::nn::GRU gru_{torch::nn::GRUOptions(kWidth, kWidth)};
};
TORCH_MODULE(PackedGru);

GRAPHED(logits: f32[kBatch, kLength, kVocabulary] grad, tokens: i64[kBatch, kLength], mask: bool[kBatch, kLength])
torch::Tensor masked_token_loss(const torch::Tensor& logits, const torch::Tensor& tokens, const torch::Tensor& mask) {
  const torch::Tensor entropy = -torch::log_softmax(logits, -1).gather(-1, tokens.unsqueeze(-1)).squeeze(-1);
  return entropy.masked_select(mask).mean();
}

}  // namespace sequences
