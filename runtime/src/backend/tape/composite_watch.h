// SPDX-License-Identifier: Apache-2.0
//
// Operators that have no kernel for the CPU: LibTorch calls the operators that they are made of, and a tape records these. What the host
// computes in between, for example through data_ptr(), would be frozen. In operators of other libraries it is noticed by the bytes of
// memory that have changed between two of the recorded operators. Those of LibTorch that do so are known by name.
#pragma once

#include "watch/observer.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/core/StorageImpl.h>

#include <cstddef>
#include <string>
#include <unordered_map>

namespace graphed::impl {

/// While it lives, this thread notes which of them run.
class composite_scope {
 public:
  composite_scope();
  ~composite_scope();
  composite_scope& operator=(composite_scope&&) = delete;

 private:
  const at::CallbackHandle callback_;
};

/// Watches one capture, within that scope.
class composite_watch final : public observer {
 public:
  /// Throws CaptureError.
  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;
  /// When the callable has run: throws CaptureError as before() does.
  void check() const;
  /// After operators that it was not shown.
  void look_again();

 private:
  struct content {
    c10::weak_intrusive_ptr<c10::StorageImpl> keeps_address;
    std::size_t hash;
    std::string by;  ///< the operator of another library
  };
  void note(const at::Tensor& tensor, const std::string& by);
  void check(const c10::StorageImpl* memory) const;

  std::unordered_map<const c10::StorageImpl*, content> known_;
};

}  // namespace graphed::impl
