// SPDX-License-Identifier: Apache-2.0
//
// A number that changes from call to call without a new capture: the type of a parameter that is marked `live`.
#pragma once

#include <graphed/export.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Scalar.h>

namespace graphed {

/// Made from a number by the caller; read by the callable as a tensor without dimensions. Neither allocates on a replay nor waits for a
/// device. A copy is independent. Its dtype is kDouble for a floating-point number, kLong for an integer, kBool for a bool: another one
/// than at a capture selects another capture. Thread safety: as of a number.
class GRAPHED_API Scalar {
 public:
  Scalar(double value) : value_(value) {}
  Scalar(float value) : value_(static_cast<double>(value)) {}
  Scalar(int64_t value) : value_(value) {}
  Scalar(int value) : value_(static_cast<int64_t>(value)) {}
  Scalar(bool value) : value_(value) {}

  /// On `device`, of shape []. In a graph it is the tensor in which each replay finds the call's value; in an eager call it is made here.
  /// Throws graphed::Error where a capture on another device asks for it.
  at::Tensor tensor(c10::Device device) const;
  /// On the device of `like`, in its dtype.
  at::Tensor like(const at::Tensor& like) const;
  /// The number itself, which a host part may read. Throws CaptureError inside a capture, which would freeze it.
  c10::Scalar value() const;
  /// kDouble, kLong or kBool.
  c10::ScalarType dtype() const;

  /// What a capture passes to the callable: reads of it are reads of `tensor`. For generated code.
  static Scalar over(at::Tensor tensor);

 private:
  Scalar() = default;
  c10::Scalar value_;
  at::Tensor tensor_;  // defined in a capture
};

}  // namespace graphed
