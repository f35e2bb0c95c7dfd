// SPDX-License-Identifier: Apache-2.0
#include "slot/verify.h"

#include "report/log.h"
#include "report/pages.h"
#include "slot/verification.h"

#include <graphed/error.h>

#include <torch/csrc/autograd/graph_task.h>

#include <optional>
#include <string>

namespace graphed::impl {

static void report(const capture_site& site, const char* where, const std::optional<difference>& found) {
  site.counts->update([&](Statistics& stats) {
    ++stats.verified;
    stats.differences += found ? 1 : 0;
  });
  if (!found) {
    return;
  }
  const std::string prefix = message_prefix(site.spec) + "GRAPHED_VERIFY: " + where;
  const std::string message = prefix + found->message + see(pages::environment);
  if (is_strict(site.spec)) {
    throw VerifyError(message);
  }
  if (site.counts->first(prefix + found->place)) {
    warn(message);
  }
}

void verify(const capture_site& site, const call_details& details, const Inputs& inputs, const tensor_list& results) {
  if (details.verified) {
    report(site, "", details.verified->compare_forward(inputs, results));
  }
}

void verify_backward(const capture_site& site, const captured_callable& callable, const call_details& details, const tensor_list& incoming,
                     const tensor_list& gradients) {
  if (!details.verified || details.verified->is_over()) {
    return;
  }
  const bool keep_graph = torch::autograd::get_current_graph_task_keep_graph();
  report(site, "in the backward, ", details.verified->compare_backward(callable, incoming, gradients, keep_graph));
}

}  // namespace graphed::impl
