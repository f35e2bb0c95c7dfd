// SPDX-License-Identifier: Apache-2.0
#include "watch/capture_limits.h"

#include "report/text.h"
#include "watch/body.h"
#include "watch/outside_watch.h"

#include <graphed/error.h>

#include <cmath>
#include <sstream>

namespace graphed::impl {

// Attention and recurrent layers are among those, whether or not they drop anything.
static bool draws(const operator_call& call) {
  for (const char* const name : {"dropout_p", "dropout"}) {
    const auto place = call.op.schema().argumentIndexWithName(name);
    const c10::IValue given = place ? call.arguments[static_cast<std::size_t>(*place)] : c10::IValue();
    if (given.isDouble() && given.toDouble() == 0) {
      return false;
    }
  }
  return call.op.hasTag(at::Tag::nondeterministic_seeded);
}

static void check_in_body(const operator_call& call) {
  const auto refuse = [&](const char* why) {
    throw CaptureError("operator " + full_name(call.op) + " in a body of graphed::if_else or graphed::while_loop " + why);
  };
  if (draws(call)) {
    refuse("draws random numbers, which replays would draw whether or not the body runs: draw before it");
  }
  if (is_host_part(call.op.operator_name())) {
    refuse("is a host part: run it before or after");
  }
  if (is_collective(call.op.operator_name())) {
    refuse("is a collective, to which other ranks might not come: run it before or after");
  }
}

void capture_limits::before(const operator_call& call) {
  if (inside_body()) {
    check_in_body(call);
  }
  if (call.op.hasTag(at::Tag::cudagraph_unsafe)) {
    throw CaptureError("operator " + full_name(call.op) + " is tagged cudagraph_unsafe by those who registered it");
  }
  if (call.has(trait::takes_strides)) {
    if (const std::string* const input = outside_.shows_smaller_gaps(call.arguments[0].toTensor())) {
      throw CaptureError("operator " + full_name(call.op) + " gets strides for the memory of '" + *input +
                         "', which has other strides in a graph: pass its contiguous()");
    }
  }
  if (!call.op.hasTag(at::Tag::inplace_view) || !call.arguments[0].isTensor()) {
    return;
  }
  const at::Tensor& changed = call.arguments[0].toTensor();
  if (!lets_go(call, changed) && outside_.is_callers(changed)) {
    throw CaptureError("operator " + full_name(call.op) + " changes the shape of a tensor from outside, or of an argument");
  }
}

void frozen_update_watch::before(const operator_call& call) {
  if (!found_.empty() || !call.has(trait::steps)) {
    return;
  }
  const at::Tensor& stepped = call.arguments[0].toTensor();
  const c10::Scalar number = call.arguments.back().toScalar();
  if (!outside_.is_parameter(stepped) || outside_.is_parameter(call.arguments[1].toTensor()) || !number.isFloatingPoint() ||
      std::abs(number.toDouble()) == 1) {
    return;
  }
  std::ostringstream out;
  out << "operator " << call.op.operator_name() << " steps a parameter of shape " << text(stepped.sizes()) << " by the number "
      << number.toDouble();
  found_ = out.str();
}

}  // namespace graphed::impl
