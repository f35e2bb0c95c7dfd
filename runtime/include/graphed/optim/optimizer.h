// SPDX-License-Identifier: Apache-2.0
//
// graphed::optim::Optimizer: what the optimizers of graphed::optim share.
//
// They derive from torch::optim::Optimizer and take its options and parameter groups, so schedulers and other code for LibTorch's
// optimizers work with them, in eager code and inside a graphed callable. Unlike those, their step is right inside a graph. Step counts are
// tensors on the parameter's device. The next replay uses a learning rate that a scheduler or `options().set_lr()` has changed.
//
// Every other number (betas, weight decay, epsilon, momentum) is part of the fused operator's launch, and a capture freezes it. After a
// change two calls run the original function, and the next one captures again. If such numbers change often, `live(true)` in a group's
// options keeps them on the device as well, and each replay uses their current values. It needs several foreach operators instead of one
// fused operator, whose results may differ in the last bits. These always need a new capture: a change of `maximize`, `amsgrad`,
// `nesterov`, `centered` or `live`, or of a number from or to zero; new parameters and parameter groups; and replaced state tensors.
//
// Options must not change inside a graphed callable: the capture then fails, and the original function runs. Call a scheduler outside.
//
// Parameters: dense, floating-point, of any shape, float32, float64, float16 or bfloat16, on CPUs or CUDA devices, of several devices and
// dtypes in one group. State has the parameter's shape, dtype and device. On a CUDA device learning rates and live numbers are float32, as
// the kernels read them; on a CPU float64. Undefined gradients are passed over, their parameters' step counts too.
//
// Thread safety: none, as of torch::optim::Optimizer; a replay reads the options on the thread that calls.
#pragma once

#include <graphed/export.h>

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>
#include <torch/optim/optimizer.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace graphed::optim {

class algorithm;

/// Makes a setter of a base class's option return the derived class, so that calls can be chained.
#define GRAPHED_OPTION(Options, Base, Type, name) \
  using Base::name;                               \
  Options& name(const Type& value) {              \
    Base::name(value);                            \
    return static_cast<Options&>(*this);          \
  }                                               \
  Options& name(Type&& value) {                   \
    Base::name(std::move(value));                 \
    return static_cast<Options&>(*this);          \
  }

/// What options have here that those of LibTorch have not.
struct GRAPHED_API AddedOptions {
  /// Climbs instead of descending.
  TORCH_ARG(bool, maximize) = false;
  /// Numbers that a capture would freeze are on the device.
  TORCH_ARG(bool, live) = false;

 protected:
  void read_added(torch::serialize::InputArchive& archive);
  void write_added(torch::serialize::OutputArchive& archive) const;
};

/// LibTorch's options of an optimizer, `Base`, and these two.
template <class Options, class Base>
struct GRAPHED_API OptionsOf : Base, AddedOptions {
  using Base::Base;
  OptionsOf(const Base& options) : Base(options) {}
  GRAPHED_OPTION(Options, AddedOptions, bool, maximize)
  GRAPHED_OPTION(Options, AddedOptions, bool, live)

  std::unique_ptr<torch::optim::OptimizerOptions> clone() const override {
    return std::make_unique<Options>(static_cast<const Options&>(*this));
  }
  void serialize(torch::serialize::InputArchive& archive) override {
    Base::serialize(archive);
    read_added(archive);
  }
  void serialize(torch::serialize::OutputArchive& archive) const override {
    Base::serialize(archive);
    write_added(archive);
  }
};

/// A parameter's state: the values of the map that Optimizer::state() returns.
struct GRAPHED_API ParamState : torch::optim::OptimizerParamState {
  ~ParamState() override;
  /// All of its tensors, undefined ones too, in a fixed order.
  virtual std::vector<at::Tensor*> tensors() = 0;
};

class GRAPHED_API Optimizer : public torch::optim::Optimizer {
 public:
  ~Optimizer() override;

  /// One step for every parameter with a gradient, without waiting for a device; returns what `closure` returned. Throws c10::Error for a
  /// sparse gradient and for options that torch::optim refuses, CaptureError in a CUDA capture that would have to make state.
  at::Tensor step(LossClosure closure = nullptr) override;

  /// For gradient scalers. Does nothing where `found_inf` (float32, of one element) is 1; with `grad_scale` (the same) the gradients are
  /// divided by it first, and stay so. Neither waits for a device. `grad_scale` only where divides_gradients().
  void step_unless(const at::Tensor& found_inf, const std::optional<at::Tensor>& grad_scale = std::nullopt);
  /// Whether a step can divide gradients: where all its operators are fused ones, but for Adagrad's, as in Python.
  bool divides_gradients();

  /// As torch::optim::Optimizer's; the state is made at once, so that a capture finds it.
  void add_param_group(const torch::optim::OptimizerParamGroup& group);

  /// Updates the learning rates and live numbers on the devices, on the current streams. step() and graphed callables call it. Call it
  /// before each replay of a stand-alone graph (graphed::Graph) that holds a step.
  void refresh();

  /// The archive that the torch::optim optimizer of the same name writes and reads, with `maximize` and `live` added to the options, which
  /// that one ignores. Saving waits for the devices: the archive holds step counts as integers. Loading copies into the existing
  /// state, so that captures stay valid. Throws c10::Error where groups or shapes do not match, and for archives from before LibTorch 1.5.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 protected:
  Optimizer(const std::vector<torch::optim::OptimizerParamGroup>& groups, std::unique_ptr<torch::optim::OptimizerOptions> defaults,
            std::unique_ptr<const algorithm> rules);

 private:
  class source;
  struct group_numbers;

  void own_options();
  void make_states();
  ParamState& state_of(const at::Tensor& parameter, const torch::optim::OptimizerOptions& options);
  group_numbers& numbers_of(std::size_t group, c10::Device device);
  void refresh(c10::function_ref<void(c10::function_ref<void()>)> change);
  void refresh(group_numbers& numbers, c10::function_ref<void(c10::function_ref<void()>)> change);
  void step_group(std::size_t group, const std::optional<at::Tensor>& found_inf, const std::optional<at::Tensor>& grad_scale);
  void step_all(const std::optional<at::Tensor>& found_inf, const std::optional<at::Tensor>& grad_scale);

  const std::unique_ptr<const algorithm> rules_;
  std::vector<group_numbers> numbers_;
  std::shared_ptr<source> source_;
};

}  // namespace graphed::optim
