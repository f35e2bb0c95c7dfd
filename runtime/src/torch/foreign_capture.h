// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <graphed/error.h>

namespace graphed::impl {

/// Somebody else is capturing: later there may be no capture.
class foreign_capture : public CaptureError {
 public:
  using CaptureError::CaptureError;
};

}  // namespace graphed::impl
