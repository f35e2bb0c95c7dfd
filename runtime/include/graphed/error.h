// SPDX-License-Identifier: Apache-2.0
//
// What the runtime throws. Errors of your own callable pass through unchanged.
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

/// An argument does not match its annotation: thrown with `strict`, and always for a `const` scalar that changed.
class GRAPHED_API GuardError : public Error {
 public:
  using Error::Error;
  ~GuardError() override;
};

/// A capture could not be made. It leaves the runtime only with `strict`; otherwise the original function runs.
class GRAPHED_API CaptureError : public Error {
 public:
  using Error::Error;
  ~CaptureError() override;
};

/// This process can no longer use the device: an earlier kernel had an invalid access, or an assertion in it failed. Always thrown where a
/// capture meets it: the original function would fail as well.
class GRAPHED_API DeviceError : public Error {
 public:
  using Error::Error;
  ~DeviceError() override;
};

/// A graph and the original function gave different results: thrown with `strict` if GRAPHED_VERIFY compares the call.
class GRAPHED_API VerifyError : public Error {
 public:
  using Error::Error;
  ~VerifyError() override;
};

}  // namespace graphed
