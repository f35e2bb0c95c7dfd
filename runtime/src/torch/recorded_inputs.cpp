// SPDX-License-Identifier: Apache-2.0
#include "torch/recorded_inputs.h"

#include "torch/private_member.h"

namespace graphed::impl {

struct recorded_inputs : member_of<at::RecordFunction, c10::ArrayRef<const c10::IValue>> {
  friend pointer pointer_to(recorded_inputs);
};
template struct opened<recorded_inputs, &at::RecordFunction::inputs_>;

c10::ArrayRef<const c10::IValue> inputs_of(const at::RecordFunction& function) { return function.*pointer_to(recorded_inputs()); }

}  // namespace graphed::impl
