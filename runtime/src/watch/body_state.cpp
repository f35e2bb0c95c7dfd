// SPDX-License-Identifier: Apache-2.0
#include "watch/body_state.h"

#include "report/text.h"
#include "watch/recorder.h"

#include <graphed/error.h>

#include <c10/core/GradMode.h>

#include <string>

namespace graphed::impl {

state_around_body::state_around_body(c10::Device device) : has_history_(c10::GradMode::is_enabled()) {
  if (const auto seen = own_recording(); seen != nullptr && seen->is_capture()) {
    gradients_ = seen->tensors()->gradients_of_leaves();
  }
  if (caches_casts(device)) {
    own_casts_.emplace();
  }
}

void state_around_body::check() const {
  if (const auto seen = own_recording(); seen == nullptr || !seen->is_capture()) {
    return;
  }
  const std::string a_body = "a body of graphed::if_else or graphed::while_loop ",
                    in_each = ", which a capture does whichever body a replay chooses: ";
  if (c10::GradMode::is_enabled() != has_history_) {
    throw CaptureError(a_body + "leaves grad mode changed" + in_each + "set it by a guard");
  }
  if (const at::Tensor leaf = first_changed(gradients_); leaf.defined()) {
    throw CaptureError(a_body + "gives a tensor of shape " + text(leaf.sizes()) + " another .grad, or none" + in_each +
                       "write the values of the .grad, as zero_grad(/*set_to_none=*/false) does, or do it outside of the body");
  }
}

}  // namespace graphed::impl
