// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for some of LibTorch's modules.
#pragma once

#include <torch/torch.h>

namespace torch::nn {
struct BatchNormOptions {
  BatchNormOptions(std::int64_t features);
  BatchNormOptions& momentum(std::optional<double> value);
  BatchNormOptions& eps(double value);
};
using BatchNorm1dOptions = BatchNormOptions;

template <class Derived>
struct BatchNormImplBase : Cloneable<Derived> {
  BatchNormImplBase(const BatchNormOptions& options);
  Tensor forward(const Tensor& input);
};
struct BatchNorm1dImpl : BatchNormImplBase<BatchNorm1dImpl> {
  using BatchNormImplBase::BatchNormImplBase;
};
class BatchNorm1d : public ModuleHolder<BatchNorm1dImpl> {
 public:
  BatchNorm1d(const BatchNormOptions& options);
};
class AnyModule;
struct SequentialImpl : Cloneable<SequentialImpl> {
  template <class Contained>
  void push_back(const ModuleHolder<Contained>& module);
  template <class Contained>
  void push_back(std::string name, const ModuleHolder<Contained>& module);
  Tensor forward(const Tensor& input);
  std::vector<AnyModule>::iterator begin();
  std::vector<AnyModule>::iterator end();
};
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  template <class... Modules>
  Sequential(Modules&&... modules);
};
class AnyModule {
 public:
  template <class Module>
  explicit AnyModule(Module module);
  template <class Result = Tensor, class... Args>
  Result forward(Args&&... args);
};
struct ModuleListImpl : Cloneable<ModuleListImpl> {
  template <class Contained>
  void push_back(const ModuleHolder<Contained>& module);
  std::vector<std::shared_ptr<Module>>::iterator begin();
  std::vector<std::shared_ptr<Module>>::iterator end();
  template <class Contained>
  Contained& at(std::size_t index);
  template <class Contained>
  std::shared_ptr<Contained> ptr(std::size_t index) const;
  std::shared_ptr<Module> operator[](std::size_t index) const;
};
class ModuleList : public ModuleHolder<ModuleListImpl> {
 public:
  template <class... Modules>
  ModuleList(Modules&&... modules);
};
struct ModuleDictImpl : Cloneable<ModuleDictImpl> {
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> items() const;
  std::shared_ptr<Module> operator[](const std::string& key) const;
};
class ModuleDict : public ModuleHolder<ModuleDictImpl> {
 public:
  ModuleDict(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules);
};
struct ReLUOptions {
  ReLUOptions(bool inplace = false);
  ReLUOptions& inplace(const bool& value);
};
struct ReLUImpl : Cloneable<ReLUImpl> {
  Tensor forward(Tensor input);
};
class ReLU : public ModuleHolder<ReLUImpl> {
 public:
  ReLU(const ReLUOptions& options = {});
};
struct DropoutOptions {
  DropoutOptions(double p = 0.5);
  DropoutOptions& inplace(const bool& value);
};
struct DropoutImpl : Cloneable<DropoutImpl> {
  Tensor forward(Tensor input);
};
class Dropout : public ModuleHolder<DropoutImpl> {
 public:
  Dropout(const DropoutOptions& options = {});
};
enum class Reductions { None, Mean, Sum };
constexpr Reductions kNone = Reductions::None;
constexpr Reductions kMean = Reductions::Mean;
struct CrossEntropyLossOptions {
  CrossEntropyLossOptions& weight(const Tensor& value);
  CrossEntropyLossOptions& label_smoothing(double value);
  CrossEntropyLossOptions& reduction(Reductions value);
};
struct CrossEntropyLossImpl : Cloneable<CrossEntropyLossImpl> {
  Tensor forward(const Tensor& input, const Tensor& target);
};
class CrossEntropyLoss : public ModuleHolder<CrossEntropyLossImpl> {
 public:
  CrossEntropyLoss(const CrossEntropyLossOptions& options = {});
};
struct CTCLossOptions {
  CTCLossOptions& blank(std::int64_t value);
};
struct MultiheadAttentionForwardFuncOptions {
  MultiheadAttentionForwardFuncOptions(std::int64_t embed_dim, std::int64_t heads);
  MultiheadAttentionForwardFuncOptions& use_separate_proj_weight(bool value);
};
struct MultiheadAttentionOptions {
  MultiheadAttentionOptions(std::int64_t embed_dim, std::int64_t heads);
  MultiheadAttentionOptions& kdim(std::int64_t value);
};
namespace functional {
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
Tensor cross_entropy(const Tensor& input, const Tensor& target, const CrossEntropyFuncOptions& options = {});
std::tuple<Tensor, Tensor> multi_head_attention_forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                                        const MultiheadAttentionForwardFuncOptions& options);
Tensor relu(Tensor input, const ReLUOptions& options = {});
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths,
                const CTCLossOptions& options = {});
Tensor one_hot(const Tensor& tensor, std::int64_t num_classes = -1);
}
struct CTCLossImpl : Cloneable<CTCLossImpl> {
  Tensor forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths);
};
class CTCLoss : public ModuleHolder<CTCLossImpl> {
 public:
  CTCLoss(const CTCLossOptions& options = {});
};
struct AdaptiveLogSoftmaxWithLossImpl : Cloneable<AdaptiveLogSoftmaxWithLossImpl> {
  Tensor forward(const Tensor& input, const Tensor& target);
  Tensor log_prob(const Tensor& input);
  Tensor predict(const Tensor& input);
};
TORCH_MODULE(AdaptiveLogSoftmaxWithLoss);
struct FlattenImpl : Cloneable<FlattenImpl> {
  Tensor forward(const Tensor& input);
};
TORCH_MODULE(Flatten);
struct LinearImpl : Cloneable<LinearImpl> {
  Tensor forward(const Tensor& input);
};
TORCH_MODULE(Linear);
struct MultiheadAttentionImpl : Cloneable<MultiheadAttentionImpl> {
  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value);
};
class MultiheadAttention : public ModuleHolder<MultiheadAttentionImpl> {
 public:
  MultiheadAttention() = default;
  MultiheadAttention(const MultiheadAttentionOptions& options);
};
struct TransformerEncoderImpl : Cloneable<TransformerEncoderImpl> {
  Tensor forward(const Tensor& src);
};
TORCH_MODULE(TransformerEncoder);
struct TransformerDecoderImpl : Cloneable<TransformerDecoderImpl> {
  Tensor forward(const Tensor& tgt, const Tensor& memory);
};
TORCH_MODULE(TransformerDecoder);
namespace utils::rnn {
class PackedSequence {};
PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false, bool enforce_sorted = true);
std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first = false);
}  // namespace utils::rnn
struct LSTMImpl : Cloneable<LSTMImpl> {
  Tensor forward(const Tensor& input);
  Tensor forward_with_packed_input(const utils::rnn::PackedSequence& input);
};
TORCH_MODULE(LSTM);
struct LSTMCellImpl : Cloneable<LSTMCellImpl> {
  std::tuple<Tensor, Tensor> forward(const Tensor& input, std::optional<std::tuple<Tensor, Tensor>> hx_opt = {});
};
TORCH_MODULE(LSTMCell);
}  // namespace torch::nn
