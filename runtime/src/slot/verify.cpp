// SPDX-License-Identifier: Apache-2.0
#include "report/log.h"
#include "report/pages.h"
#include "slot/slot.h"
#include "slot/verification.h"

#include <graphed/error.h>

#include <torch/csrc/autograd/graph_task.h>

namespace graphed {

void slot::verify(const call_details& details, const inputs& inputs, const tensor_list& results) const {
  if (details.verified) {
    report_difference("", details.verified->compare_forward(inputs, results));
  }
}

void slot::verify_backward(const call_details& details, const tensor_list& incoming, const tensor_list& gradients) const {
  if (!details.verified) {
    return;
  }
  std::vector<compared_root> roots;
  for (const auto& output : node_outputs_) {
    roots.push_back({output.is_input, output.index});
  }
  std::vector<compared_gradient> targets;
  tensor_list compared;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const auto& target = targets_[i];
    if (!target.is_input && spec_.delay_weights) {
      continue;  // it is not computed yet
    }
    targets.push_back(target.is_input ? compared_gradient{target.index, {}}
                                      : compared_gradient{std::nullopt, closure_.members()[target.index].tensor});
    compared.push_back(gradients[i]);
  }
  const bool keep_graph = torch::autograd::get_current_graph_task_keep_graph();
  report_difference("in the backward, ", details.verified->compare_backward(roots, incoming, targets, compared, keep_graph));
}

void slot::report_difference(const char* where, const std::optional<difference>& found) const {
  ledger_->update([&](statistics& stats) {
    ++stats.verified;
    stats.differences += found ? 1 : 0;
  });
  if (!found) {
    return;
  }
  const std::string prefix = message_prefix(spec_) + "GRAPHED_VERIFY: " + where;
  const std::string message = prefix + found->message + see(pages::environment);
  if (is_strict(spec_)) {
    throw verify_error(message);
  }
  if (ledger_->first(prefix + found->place)) {
    warn(message);
  }
}

}  // namespace graphed
