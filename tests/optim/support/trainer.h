// SPDX-License-Identifier: Apache-2.0
//
// Parameters, an optimizer and what goes with it, as one line of cases.txt says: the same program that expected.py runs.
#pragma once

#include <graphed/grad_scaler.h>
#include <graphed/optim.h>
#include <graphed/results.h>

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphed::testing {

struct optimizer_case {
  std::string name;
  std::string optimizer;
  std::string written;                // the settings
  at::ScalarType dtype = at::kFloat;  // of the parameters
  std::map<std::string, double> settings;

  double get(const std::string& key, double otherwise) const {
    const auto found = settings.find(key);
    return found == settings.end() ? otherwise : found->second;
  }
  bool has(const std::string& key) const { return settings.count(key) != 0; }
  /// As it is for the second group.
  optimizer_case second() const;
};

/// Those of cases.txt.
std::vector<optimizer_case> all_cases();
/// From such a line.
optimizer_case parse_case(const std::string& line);

/// graphed::optim's, and torch::optim's of the first group's options, over two groups.
std::unique_ptr<optim::Optimizer> make_optimizer(const optimizer_case& which, std::vector<torch::optim::OptimizerParamGroup> groups);
std::unique_ptr<torch::optim::Optimizer> make_torch_optimizer(const optimizer_case& which,
                                                              std::vector<torch::optim::OptimizerParamGroup> groups);

class trainer {
 public:
  /// `initial`: all parameters, one after another.
  trainer(const optimizer_case& which, const at::Tensor& initial, c10::Device device);

  /// One step with these gradients, one after another: returns the norm, where the case clips, and else the first gradient. Takes no
  /// number from the host: a graph may replay it.
  at::Tensor step(const at::Tensor& gradients);
  /// The learning rates of this step, by assignment.
  void set_rates(double rate);
  /// All, one after another, on the CPU.
  at::Tensor parameters() const;
  optim::Optimizer& optimizer() { return *optimizer_; }
  GradScaler& scaler() { return *scaler_; }
  std::vector<at::Tensor>& tensors() { return parameters_; }

 private:
  const optimizer_case case_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  std::optional<GradScaler> scaler_;
};

inline constexpr int64_t elements = 60;
/// The learning rate that expected.py uses in this step.
inline double rate_of(double base, int64_t step) { return base * (1.0 - static_cast<double>(step) / 2000.0); }

}  // namespace graphed::testing
