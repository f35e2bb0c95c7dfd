// SPDX-License-Identifier: Apache-2.0
//
// Notices that a callable reads a tensor's value on the host, which ends every capture.
#pragma once

#include "watch/observer.h"

namespace graphed {

class host_watch final : public observer {
 public:
  void before(const operator_call& call) override { reads_ |= call.has(trait::reads_value); }
  /// By other means than an operator.
  void note() { reads_ = true; }
  bool reads() const { return reads_; }

 private:
  bool reads_ = false;
};

}  // namespace graphed
