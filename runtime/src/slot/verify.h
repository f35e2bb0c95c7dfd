// SPDX-License-Identifier: Apache-2.0
//
// GRAPHED_VERIFY: compare a call, or its backward, with what the plain callable did, and report the first difference. Under `strict` that
// throws VerifyError. A call that is not to be compared is passed over. Of a call that goes back in parts, the first
// backward alone is compared.
#pragma once

#include "slot/capture_site.h"
#include "slot/captured_callable.h"

namespace graphed::impl {

void verify(const capture_site& site, const call_details& details, const Inputs& inputs, const tensor_list& results);
void verify_backward(const capture_site& site, const captured_callable& callable, const call_details& details, const tensor_list& incoming,
                     const tensor_list& gradients);

}  // namespace graphed::impl
