// SPDX-License-Identifier: Apache-2.0
#include "watch/access.h"

namespace graphed {

// Batch normalisation updates its running statistics without saying so in its schema, and without counting a version.
access access_to_argument(const operator_call& call, std::size_t index) {
  const auto& schema = call.op.schema();
  const auto& declared = schema.arguments()[index];
  if (declared.alias_info() != nullptr) {
    return declared.alias_info()->isWrite() ? access::write : access::read;
  }
  if (declared.name() != "running_mean" && declared.name() != "running_var") {
    return access::read;
  }
  const auto training = schema.argumentIndexWithName("training");
  return training && !call.arguments[static_cast<std::size_t>(*training)].toBool() ? access::read : access::hidden_write;
}

}  // namespace graphed
