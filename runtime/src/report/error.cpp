// SPDX-License-Identifier: Apache-2.0
#include <graphed/error.h>

namespace graphed {

// Defined here so that each type has one type_info, in the runtime's library.
Error::~Error() = default;
GuardError::~GuardError() = default;
CaptureError::~CaptureError() = default;
DeviceError::~DeviceError() = default;
VerifyError::~VerifyError() = default;

}  // namespace graphed
