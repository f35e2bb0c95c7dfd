// SPDX-License-Identifier: Apache-2.0
//
// Tensors in host memory that operators have made of numbers and sizes alone, as `torch::arange(n)`. Each run of a capture's key makes
// equal ones, so that a graph may read a copy on the device instead of a copy of them. Others that have had access to their memory may have
// written what changes from call to call.
#pragma once

#include "watch/observer.h"

#include <ATen/core/stack.h>
#include <c10/core/Storage.h>
#include <c10/util/FunctionRef.h>
#include <c10/util/intrusive_ptr.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace graphed::impl {

/// Runs work on the device that a capture does not hold.
class ahead_of_replays {
 public:
  ahead_of_replays() = default;
  virtual ~ahead_of_replays() = default;
  ahead_of_replays& operator=(ahead_of_replays&&) = delete;

  /// On the calling thread, which is inside the capture. The work is over when this returns.
  virtual void run(c10::function_ref<void()> work) = 0;
};

/// Whether index_put_ fills the places of one mask with a number of the host, which it reads there: where the value is in host memory.
bool fills_by_mask(const operator_call& call);

class host_constants final : public observer {
 public:
  /// Throws CaptureError for a copy to a device of another tensor in host memory, and says why it is another; and for random numbers that
  /// the host would draw.
  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;

  /// Why the values of a tensor in host memory may change from call to call; empty where they are a constant.
  std::string why_not_constant(const at::Tensor& tensor);
  /// Whether the operator copies a tensor from host memory to a device, the whole of it or as an operand.
  static bool is_copied_by(const operator_call& call);
  /// Runs such an operator, whose arguments are on the stack: copies the tensor ahead, and in the capture that copy. Keeps the copies.
  void copy(const operator_call& call, torch::jit::Stack& stack, ahead_of_replays& ahead);

  /// Copies that the graph reads.
  const std::vector<at::Tensor>& copies() const { return copies_; }

 private:
  struct memory {
    c10::Storage storage;
    c10::intrusive_ptr<c10::StorageImpl> snapshot;  ///< shares the memory until something asks for it to write
    std::string why_not;                            ///< empty: what operators have made of it is a constant
    bool is_filled;
    std::map<std::size_t, std::size_t> filled;  ///< until then: where, and how many bytes

    void take_snapshot();
    /// Whether the host had access since the snapshot.
    void look_again();
    void fill(const at::Tensor& part);
    /// As operators left it.
    std::string state() const;
  };
  memory* find(const at::Tensor& tensor);
  at::Tensor copy_of_copied(const operator_call& call) const;
  /// Puts copies on the device in the place of operands, which begin at `first`.
  void move_operands(const operator_call& call, torch::jit::Stack& stack, std::size_t first);
  /// Why a result of the operator is not a constant, or empty.
  std::string why_unsteady(const operator_call& call);

  std::unordered_map<const c10::StorageImpl*, memory> known_;
  std::vector<at::Tensor> copies_;
};

}  // namespace graphed::impl
