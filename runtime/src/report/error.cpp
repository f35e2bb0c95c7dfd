// SPDX-License-Identifier: Apache-2.0
#include <graphed/error.h>

namespace graphed {

// Defined here so that each type has one type_info, in the runtime's library.
error::~error() = default;
guard_error::~guard_error() = default;
capture_error::~capture_error() = default;
device_error::~device_error() = default;
verify_error::~verify_error() = default;

}  // namespace graphed
