// SPDX-License-Identifier: Apache-2.0
//
// What the runtime throws. Errors of the user's own callable pass through unchanged.
#pragma once

#include <graphed/export.h>

#include <stdexcept>

namespace graphed {

/// Base of everything that the runtime throws itself.
class GRAPHED_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;
};

/// An argument does not fit its annotation: thrown with `strict`, and always for a `const` scalar that changed.
class GRAPHED_API GuardError : public Error {
 public:
  using Error::Error;
  ~GuardError() override;
};

/// A capture could not be made. It leaves the runtime only with `strict`; otherwise the plain callable runs.
class GRAPHED_API CaptureError : public Error {
 public:
  using Error::Error;
  ~CaptureError() override;
};

/// The device can no longer be used by this process, whoever is to blame: an earlier kernel read or wrote where it must not, or an
/// assertion in it failed. Always thrown where a capture meets it: the plain callable would fail as well.
class GRAPHED_API DeviceError : public Error {
 public:
  using Error::Error;
  ~DeviceError() override;
};

/// A graph and the plain callable did not leave the same behind: thrown with `strict` where GRAPHED_VERIFY asks for the comparison.
class GRAPHED_API VerifyError : public Error {
 public:
  using Error::Error;
  ~VerifyError() override;
};

}  // namespace graphed
