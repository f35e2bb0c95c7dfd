// SPDX-License-Identifier: Apache-2.0
#include <graphed/optim/adamw.h>

#include "optim/adam_rules.h"

namespace graphed::optim {

GRAPHED_DEFINE_OPTIONS(AdamWOptions)

namespace {

class adamw_algorithm final : public adam_rules<AdamWOptions, torch::optim::AdamWOptions, torch::optim::AdamWParamState, decay::decoupled> {
  const char* name() const override { return "AdamW"; }
};

std::unique_ptr<AdamWOptions> checked(AdamWOptions options) {
  check_adam("AdamW", options);
  return std::make_unique<AdamWOptions>(std::move(options));
}

}  // namespace

AdamW::AdamW(const std::vector<torch::optim::OptimizerParamGroup>& groups, AdamWOptions defaults)
    : Optimizer(groups, checked(std::move(defaults)), std::make_unique<adamw_algorithm>()) {}

AdamW::AdamW(std::vector<at::Tensor> parameters, AdamWOptions defaults)
    : AdamW(std::vector{torch::optim::OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {}

}  // namespace graphed::optim
