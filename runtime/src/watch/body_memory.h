// SPDX-License-Identifier: Apache-2.0
//
// What bodies of branches and loops make. A capture runs all bodies. What one of them leaves in a variable is there after it, though a
// replay in which the device chooses another body has not computed it.
#pragma once

#include "watch/observer.h"

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace graphed::impl {

struct body_place;

class body_memory final : public observer {
 public:
  /// Throws CaptureError for an operator that uses what a body has made after that body. In a body, too, for a write that no replay
  /// repeats: of a tensor's shape, or of its history.
  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;
  void undeclared_write(const operator_call& call, const at::Tensor& argument) override;

  /// The body that the thread runs gets this handle, which nothing else has.
  void lend(const at::Tensor& handle);
  /// From now on the tensor, with its memory, is of what is around the body.
  void hand_over(const at::Tensor& made);
  /// When the bodies have run: what is known of handles that are gone keeps their version counters, as if autograd had saved them.
  void forget_gone_handles();
  /// Whether the thread's place in the callable must not use the tensor.
  bool is_of_another_body(const at::Tensor& tensor) const;

 private:
  void keep(const at::Tensor& memory, uint64_t visit);
  bool is_made_by(const body_place& body, const at::Tensor& tensor) const;
  bool is_made_in_condition(const at::Tensor& tensor) const;
  void check_write(const operator_call& call, std::size_t index);
  void check_condition(const operator_call& call, const at::Tensor& written) const;
  void check_shapes(const operator_call& call) const;

  struct written_tensor {
    at::Tensor tensor;
    std::vector<int64_t> sizes;
  };
  std::vector<written_tensor> written_;  ///< from outside of the body, by the operator that runs
  template <class Weak>
  struct made {
    Weak keeps_address;  ///< nothing else gets it
    uint64_t visit;
  };
  std::unordered_map<const c10::StorageImpl*, made<c10::weak_intrusive_ptr<c10::StorageImpl>>> memory_;
  std::unordered_map<const c10::TensorImpl*, made<c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>>> handles_;
};

}  // namespace graphed::impl
