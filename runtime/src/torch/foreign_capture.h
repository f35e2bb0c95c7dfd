// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <graphed/error.h>

namespace graphed {

/// Somebody else is capturing: later there may be no capture.
class foreign_capture : public capture_error {
 public:
  using capture_error::capture_error;
};

}  // namespace graphed
