// SPDX-License-Identifier: Apache-2.0
#include <graphed/scalar.h>

#include "watch/recorder.h"

#include <graphed/error.h>

#include <ATen/ops/full.h>

#include <utility>

namespace graphed {
using namespace impl;

at::Tensor Scalar::tensor(c10::Device device) const {
  if (!tensor_.defined()) {
    if (inside_capture()) {
      throw CaptureError("a graphed::Scalar that is not a parameter of the callable would be frozen: pass it as a parameter marked 'live'");
    }
    const untraced differs_in_a_capture;
    return at::full({}, value_, at::TensorOptions(dtype()).device(device));
  }
  if (tensor_.device() != device) {
    throw Error("graphed::Scalar: asked for on " + device.str() + " in a capture on " + tensor_.device().str());
  }
  return tensor_;
}

at::Tensor Scalar::like(const at::Tensor& like) const { return tensor(like.device()).to(like.scalar_type()); }

c10::Scalar Scalar::value() const {
  if (inside_capture()) {
    throw CaptureError("value() of a graphed::Scalar would be frozen by a capture: use tensor()");
  }
  if (tensor_.defined()) {  // in a host part
    return tensor_.item();
  }
  if (const auto seen = active_recording()) {
    seen->note_host_read();
  }
  return value_;
}

c10::ScalarType Scalar::dtype() const { return tensor_.defined() ? tensor_.scalar_type() : value_.type(); }

Scalar Scalar::over(at::Tensor tensor) {
  Scalar made;
  made.tensor_ = std::move(tensor);
  return made;
}

}  // namespace graphed
