// SPDX-License-Identifier: Apache-2.0
//
// What distinguishes one optimizer from another: its options, its state, its update.
#pragma once

#include "watch/live_source.h"

#include <graphed/optim/optimizer.h>

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphed::optim {

using tensors = std::vector<at::Tensor>;

/// The gradients that there are, by device and dtype: foreach operators are one kernel then. Throws c10::Error for one that is not dense.
std::vector<tensors> gradient_groups(at::TensorList parameters);

/// The parameters of a group that have gradients, on one device and of one dtype.
struct batch {
  tensors parameters;
  tensors gradients;
  std::vector<ParamState*> states;
  const tensors& numbers;  ///< algorithm::live_numbers() as tensors of shape []
  std::optional<at::Tensor> found_inf;
  std::optional<at::Tensor> grad_scale;

  /// One tensor of each state.
  template <class State>
  tensors column(const at::Tensor& (State::*get)() const noexcept) const {
    tensors all;
    all.reserve(states.size());
    for (ParamState* state : states) {
      all.push_back((static_cast<const State*>(state)->*get)());
    }
    return all;
  }
};

class algorithm {
 public:
  virtual ~algorithm() = default;

  /// "Adam"
  virtual const char* name() const = 0;
  /// `options`, if they are torch::optim's, as graphed::optim's; else null.
  virtual std::unique_ptr<torch::optim::OptimizerOptions> own(const torch::optim::OptimizerOptions& options) const = 0;
  virtual std::unique_ptr<ParamState> make_state() const = 0;
  /// Makes the tensors of a state that these options need and that are not there.
  virtual void complete(ParamState& state, const at::Tensor& parameter, const torch::optim::OptimizerOptions& options) const = 0;
  /// Whether the update is one fused operator, which looks at found_inf and grad_scale.
  virtual bool is_fused(const torch::optim::OptimizerOptions& options) const = 0;
  /// Whether a gradient scaler lets it divide the gradients, as Python's does: else the scaler multiplies by the inverse.
  virtual bool divides_gradients(const torch::optim::OptimizerOptions& options) const { return is_fused(options); }
  /// The numbers that a capture freezes, and whether others are zero.
  virtual void append_frozen(const torch::optim::OptimizerOptions& options, std::string& bytes) const = 0;
  /// The numbers that are on the device: the learning rate, then what the update needs of a group that is `live`.
  virtual std::vector<double> live_numbers(const torch::optim::OptimizerOptions& options) const = 0;
  virtual void update(const batch& batch, const torch::optim::OptimizerOptions& options) const = 0;
  /// What torch::optim's archives call the first tensors of a state; "step" is an integer there.
  virtual std::vector<const char*> archived() const = 0;
  /// Whether torch::optim would have no state of the parameter yet.
  virtual bool is_fresh(ParamState& /*state*/) const { return false; }
};

/// Makes a state's tensor zeros like `parameter` where it is undefined. Not seen by a recording: state is there before a callable that uses
/// it.
void complete_zeros(at::Tensor& tensor, const at::Tensor& parameter);
/// The same with a number: of shape [], float32, on the device of `parameter`.
void complete_number(at::Tensor& tensor, const at::Tensor& parameter, double value);

/// The archive of torch::optim (torch/optim/serialize.h): parameters by the addresses that they had when saved.
void save(const Optimizer& from, const algorithm& rules, torch::serialize::OutputArchive& archive);
void load(Optimizer& into, const algorithm& rules, torch::serialize::InputArchive& archive);

/// Runs `update` on float32 copies of the parameters, gradients and states, and writes parameters and states back. An operator would round
/// a number on the device to the dtype of 16-bit parameters, a beta of 0.999 to 1 in bfloat16; fused operators compute in float32.
void update_widened(const algorithm& rules, const batch& batch, c10::function_ref<void(const struct batch&)> update);

/// The same, with its own types.
template <class Options, class TorchOptions, class State>
class typed_algorithm : public algorithm {
 public:
  std::unique_ptr<torch::optim::OptimizerOptions> own(const torch::optim::OptimizerOptions& options) const final {
    if (dynamic_cast<const Options*>(&options) != nullptr) {
      return nullptr;
    }
    const auto* torchs = dynamic_cast<const TorchOptions*>(&options);
    TORCH_CHECK(torchs != nullptr, "graphed::optim::", name(), ": a parameter group has the options of another optimizer");
    return std::make_unique<Options>(*torchs);
  }
  std::unique_ptr<ParamState> make_state() const final { return std::make_unique<State>(); }
  void complete(ParamState& state, const at::Tensor& parameter, const torch::optim::OptimizerOptions& options) const final {
    complete(static_cast<State&>(state), parameter, static_cast<const Options&>(options));
  }
  bool is_fused(const torch::optim::OptimizerOptions& options) const override { return !static_cast<const Options&>(options).live(); }
  void append_frozen(const torch::optim::OptimizerOptions& options, std::string& bytes) const final {
    const auto& own = static_cast<const Options&>(options);
    impl::append(bytes, own.live(), own.maximize());
    append_frozen(own, bytes);
  }
  std::vector<double> live_numbers(const torch::optim::OptimizerOptions& options) const final {
    return live_numbers(static_cast<const Options&>(options));
  }
  void update(const batch& batch, const torch::optim::OptimizerOptions& options) const final {
    const auto& own = static_cast<const Options&>(options);
    if (own.live() && batch.parameters[0].element_size() == 2) {
      update_widened(*this, batch, [&](const struct batch& wide) { update_live(wide, own); });
    } else if (own.live()) {
      update_live(batch, own);
    } else {
      update(batch, own);
    }
  }

 private:
  virtual void complete(State& state, const at::Tensor& parameter, const Options& options) const = 0;
  virtual void append_frozen(const Options& options, std::string& bytes) const = 0;
  virtual std::vector<double> live_numbers(const Options& options) const = 0;
  virtual void update(const batch& batch, const Options& options) const = 0;
  virtual void update_live(const batch& batch, const Options& options) const = 0;
};

}  // namespace graphed::optim
