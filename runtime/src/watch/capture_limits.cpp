// SPDX-License-Identifier: Apache-2.0
#include "watch/capture_limits.h"

#include "watch/outside_watch.h"

#include <graphed/error.h>

namespace graphed {

void capture_limits::before(const operator_call& call) {
  if (call.op.hasTag(at::Tag::cudagraph_unsafe)) {
    throw capture_error("operator " + full_name(call.op) + " is tagged cudagraph_unsafe by those who registered it");
  }
  if (!call.op.hasTag(at::Tag::inplace_view) || !call.arguments[0].isTensor()) {
    return;
  }
  const at::Tensor& changed = call.arguments[0].toTensor();
  if (!lets_go(call, changed) && outside_.is_callers(changed)) {
    throw capture_error("operator " + full_name(call.op) + " changes the shape of a tensor from outside, or of an argument");
  }
}

}  // namespace graphed
