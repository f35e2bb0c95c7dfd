// SPDX-License-Identifier: Apache-2.0
//
// Autocast for a scope, with its cache of casts.
#pragma once

#include <ATen/autocast_mode.h>

namespace graphed::testing {

/// What torch.autocast does in Python.
class autocast {
 public:
  autocast(c10::DeviceType device, c10::ScalarType dtype)
      : device_(device), before_(at::autocast::is_autocast_enabled(device)), dtype_before_(at::autocast::get_autocast_dtype(device)) {
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::set_autocast_dtype(device, dtype);
    at::autocast::increment_nesting();
  }
  ~autocast() {
    if (at::autocast::decrement_nesting() == 0) {
      at::autocast::clear_cache();
    }
    at::autocast::set_autocast_enabled(device_, before_);
    at::autocast::set_autocast_dtype(device_, dtype_before_);
  }

 private:
  const c10::DeviceType device_;
  const bool before_;
  const c10::ScalarType dtype_before_;
};

}  // namespace graphed::testing
