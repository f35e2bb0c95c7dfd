// SPDX-License-Identifier: Apache-2.0
//
// The `.grad` of what a callable closes over: which tensor it is when a call begins, and which when it ends. Only a step may change it;
// while another callable is captured, other threads may.
#pragma once

#include "capture/closure.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace graphed::impl {

class recording;

/// A `.grad` that others replace between the calls of a step: its graph works on a copy, which is staged and copied back as an argument is.
struct replaced_gradient {
  at::Tensor of;
  at::Tensor copy;
};
/// Whether such a copy can stand for the tensor, which has its memory to itself as far as a storage tells.
bool can_be_copied(const at::Tensor& gradient);

/// When it dies, each member has the `.grad` again that it had, and what is none has none that the capture has made. Where the callable is
/// no step, that is said only of gradients that the capture knows.
class gradient_scope {
 public:
  gradient_scope(const closure& members, bool is_step, const recording* capture = nullptr,
                 const std::vector<replaced_gradient>& copies = {});
  ~gradient_scope();
  gradient_scope& operator=(gradient_scope&&) = delete;

  struct gradient {
    std::size_t member;  ///< whose: held by the closure alone, which counts who holds it
    at::Tensor before;
    at::Tensor copy;  ///< undefined, or what is `.grad` meanwhile
  };
  const std::vector<gradient>& gradients() const { return gradients_; }
  const at::Tensor& leaf(const gradient& each) const { return members_.members()[each.member].tensor; }
  /// Whether it was one of them.
  bool had(const at::Tensor& gradient) const;
  /// Whether the callable may have let `.grad` show other memory, or none where it showed some.
  bool is_replaced(const gradient& each) const;

 private:
  bool is_to_be_put_back(const gradient& each) const;

  const closure& members_;
  const bool is_step_;
  const recording* const capture_;
  std::vector<gradient> gradients_;
};

class step_gradients {
 public:
  /// After the captured callable ran: what it left in `.grad` where that was replaced; undefined where nothing.
  std::vector<at::Tensor> take(const gradient_scope& scope);
  /// After `members` know what the capture used: notes which gradients it relied on, of a step also that there were none.
  void settle(const gradient_scope& scope, const closure& members, bool is_step);
  /// Whether those are as they were.
  bool unchanged() const;
  /// Before a replay: lets go of what the step will replace, so that nobody is taken to hold it.
  void drop() const;
  /// After it: `gradients` in the order of take().
  void install(const std::vector<at::Tensor>& gradients) const;

 private:
  struct relied_gradient {
    at::Tensor of;
    at::Tensor gradient;  ///< undefined: there must be none
    bool is_copied;       ///< another one will do that lies in memory alike
  };
  std::vector<at::Tensor> replaced_;  ///< whose
  std::vector<relied_gradient> relied_;
};

}  // namespace graphed::impl
