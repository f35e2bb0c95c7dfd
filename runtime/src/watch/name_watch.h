// SPDX-License-Identifier: Apache-2.0
//
// The name of the operator that was entered last, for messages.
#pragma once

#include "watch/observer.h"

#include <string>

namespace graphed {

class name_watch final : public observer {
 public:
  void before(const operator_call& call) override { last_ = full_name(call.op); }
  /// "aten::add.Tensor", or empty.
  const std::string& last() const { return last_; }

 private:
  std::string last_;
};

}  // namespace graphed
