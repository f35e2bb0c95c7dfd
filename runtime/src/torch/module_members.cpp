// SPDX-License-Identifier: Apache-2.0
#include "torch/module_members.h"

#include <torch/nn/modules.h>

#include <array>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>

namespace graphed::impl {
namespace {

// Members that some of the classes have.
#define GRAPHED_MEMBER(name) [](const auto& its) -> decltype((its.name)) { return its.name; }
#define GRAPHED_OPTION(name) [](const auto& its) -> decltype(its.name()) { return its.name(); }

template <class T, class... Get>
void visit_each(const T& its, WatchedMembers& found, Get... get) {
  const auto visit_one = [&](auto one) {
    if constexpr (std::is_invocable_v<decltype(one), const T&>) {
      found.value(one(its));
    }
  };
  (visit_one(get), ...);
}

// What forward() reads of options that hold more than numbers.
template <class Options>
void visit_options(const Options& options, WatchedMembers& found) {
  if constexpr (std::is_trivially_copyable_v<Options>) {
    found.value(options);
  } else {
    visit_each(options, found, GRAPHED_OPTION(eps), GRAPHED_OPTION(normalized_shape), GRAPHED_OPTION(padding_idx), GRAPHED_OPTION(max_norm),
               GRAPHED_OPTION(norm_type), GRAPHED_OPTION(scale_grad_by_freq), GRAPHED_OPTION(sparse), GRAPHED_OPTION(mode),
               GRAPHED_OPTION(include_last_offset), GRAPHED_OPTION(size), GRAPHED_OPTION(scale_factor), GRAPHED_OPTION(align_corners),
               GRAPHED_OPTION(reduction), GRAPHED_OPTION(ignore_index), GRAPHED_OPTION(label_smoothing), GRAPHED_OPTION(margin),
               GRAPHED_OPTION(p), GRAPHED_OPTION(swap), GRAPHED_OPTION(approximate), GRAPHED_OPTION(dim), GRAPHED_OPTION(sizes));
  }
}

template <class Module>
void visit_members(const Module& its, WatchedMembers& found) {
  visit_each(its, found, GRAPHED_MEMBER(weight), GRAPHED_MEMBER(bias), GRAPHED_MEMBER(running_mean), GRAPHED_MEMBER(running_var),
             GRAPHED_MEMBER(num_batches_tracked), GRAPHED_MEMBER(weight_ih), GRAPHED_MEMBER(weight_hh), GRAPHED_MEMBER(bias_ih),
             GRAPHED_MEMBER(bias_hh), GRAPHED_MEMBER(pos_weight), GRAPHED_MEMBER(_random_samples));
  const auto visit_options_of = [&](auto get) {
    if constexpr (std::is_invocable_v<decltype(get), const Module&>) {
      visit_options(get(its), found);
    }
  };
  visit_options_of(GRAPHED_MEMBER(options_base));
  visit_options_of(GRAPHED_MEMBER(options));
}

#undef GRAPHED_MEMBER
#undef GRAPHED_OPTION

using visitor = void (*)(const torch::nn::Module&, WatchedMembers&);

template <class Module>
void visit_as(const torch::nn::Module& module, WatchedMembers& found) {
  visit_members(static_cast<const Module&>(module), found);
}
// Of a class that the program derives.
template <class Module>
void visit_base(const torch::nn::Module& module, WatchedMembers& found) {
  if (const auto* const its = dynamic_cast<const Module*>(&module)) {
    visit_members(*its, found);
  }
}

struct class_of_library {
  const std::type_info& type;
  visitor visit, visit_as_base;
  bool (*is_base_of)(const torch::nn::Module&);
};

template <class... Module>
const auto& classes() {
  static const std::array<class_of_library, sizeof...(Module)> all{
      class_of_library{typeid(Module), &visit_as<Module>, &visit_base<Module>,
                       [](const torch::nn::Module& module) { return dynamic_cast<const Module*>(&module) != nullptr; }}...};
  return all;
}

const auto& classes_of_library() {
  using namespace torch::nn;
  return classes<
      LinearImpl, BilinearImpl, FlattenImpl, UnflattenImpl, Conv1dImpl, Conv2dImpl, Conv3dImpl, ConvTranspose1dImpl, ConvTranspose2dImpl,
      ConvTranspose3dImpl, FoldImpl, UnfoldImpl, EmbeddingImpl, EmbeddingBagImpl, BatchNorm1dImpl, BatchNorm2dImpl, BatchNorm3dImpl,
      InstanceNorm1dImpl, InstanceNorm2dImpl, InstanceNorm3dImpl, LayerNormImpl, GroupNormImpl, LocalResponseNormImpl, CrossMapLRN2dImpl,
      DropoutImpl, Dropout2dImpl, Dropout3dImpl, AlphaDropoutImpl, FeatureAlphaDropoutImpl, RNNImpl, LSTMImpl, GRUImpl, RNNCellImpl,
      LSTMCellImpl, GRUCellImpl, ELUImpl, SELUImpl, CELUImpl, GELUImpl, GLUImpl, HardshrinkImpl, HardtanhImpl, LeakyReLUImpl, PReLUImpl,
      ReLUImpl, ReLU6Impl, RReLUImpl, SoftmaxImpl, SoftminImpl, LogSoftmaxImpl, SoftplusImpl, SoftshrinkImpl, ThresholdImpl, AvgPool1dImpl,
      AvgPool2dImpl, AvgPool3dImpl, MaxPool1dImpl, MaxPool2dImpl, MaxPool3dImpl, MaxUnpool1dImpl, MaxUnpool2dImpl, MaxUnpool3dImpl,
      AdaptiveAvgPool1dImpl, AdaptiveAvgPool2dImpl, AdaptiveAvgPool3dImpl, AdaptiveMaxPool1dImpl, AdaptiveMaxPool2dImpl,
      AdaptiveMaxPool3dImpl, LPPool1dImpl, LPPool2dImpl, LPPool3dImpl, FractionalMaxPool2dImpl, FractionalMaxPool3dImpl,
      ReflectionPad1dImpl, ReflectionPad2dImpl, ReflectionPad3dImpl, ReplicationPad1dImpl, ReplicationPad2dImpl, ReplicationPad3dImpl,
      ZeroPad1dImpl, ZeroPad2dImpl, ZeroPad3dImpl, ConstantPad1dImpl, ConstantPad2dImpl, ConstantPad3dImpl, UpsampleImpl, PixelShuffleImpl,
      PixelUnshuffleImpl, CosineSimilarityImpl, PairwiseDistanceImpl, L1LossImpl, KLDivLossImpl, MSELossImpl, BCELossImpl,
      HingeEmbeddingLossImpl, MultiMarginLossImpl, CosineEmbeddingLossImpl, SmoothL1LossImpl, HuberLossImpl, MultiLabelMarginLossImpl,
      SoftMarginLossImpl, MultiLabelSoftMarginLossImpl, TripletMarginLossImpl, TripletMarginWithDistanceLossImpl, CTCLossImpl,
      PoissonNLLLossImpl, MarginRankingLossImpl, NLLLossImpl, CrossEntropyLossImpl, BCEWithLogitsLossImpl>();
}

// Null of any other class.
visitor find_visitor(const torch::nn::Module& module) {
  for (const auto& each : classes_of_library()) {
    if (each.type == typeid(module)) {
      return each.visit;
    }
  }
  for (const auto& each : classes_of_library()) {
    if (each.is_base_of(module)) {
      return each.visit_as_base;
    }
  }
  return nullptr;
}

}  // namespace

// A call asks about each of its modules: this thread keeps what it has found.
void visit_members_of_library(const torch::nn::Module& module, WatchedMembers& found) {
  static thread_local std::unordered_map<const std::type_info*, visitor> known;
  const std::type_info& type = typeid(module);
  const auto its = known.find(&type);
  if (const visitor visit = its != known.end() ? its->second : known.emplace(&type, find_visitor(module)).first->second) {
    visit(module, found);
  }
}

}  // namespace graphed::impl
