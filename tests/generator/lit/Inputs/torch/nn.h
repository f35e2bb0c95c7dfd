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
namespace functional {
Tensor relu(Tensor input, const ReLUOptions& options = {});
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths);
Tensor one_hot(const Tensor& tensor, std::int64_t num_classes = -1);
}
struct CTCLossImpl : Cloneable<CTCLossImpl> {
  Tensor forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths);
};
TORCH_MODULE(CTCLoss);
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
TORCH_MODULE(MultiheadAttention);
struct TransformerEncoderImpl : Cloneable<TransformerEncoderImpl> {
  Tensor forward(const Tensor& src);
};
TORCH_MODULE(TransformerEncoder);
}  // namespace torch::nn
