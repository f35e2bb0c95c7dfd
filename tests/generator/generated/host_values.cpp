// SPDX-License-Identifier: Apache-2.0
#include "host_values.h"

namespace host_values {

std::string mode = "plain";

static Tensor helped(ElsewhereImpl& of, const Tensor& x) { return of.block->forward(x) * of.gain; }

Tensor ElsewhereImpl::run(const Tensor& x) { return is_negative ? -helped(*this, x) : helped(*this, x); }

}  // namespace host_values
