// SPDX-License-Identifier: Apache-2.0
//
// The `.grad` of what a callable closes over: which tensor it is when a call begins, and which when it ends. Only a step may change it;
// while another callable is captured, other threads may.
#pragma once

#include "capture/closure.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

namespace graphed::impl {

class recording;

/// A `.grad` that others replace between the calls of a step: its graph works on a copy, which is staged and copied back as an argument is.
/// Where backward graphs leave the gradient in one place, the graph works on that, and there is nothing to copy.
struct replaced_gradient {
  at::Tensor of;
  at::Tensor copy;
  std::shared_ptr<const void> place = {};  ///< of the copy, which it keeps; null: memory of its own
};
/// That it cannot, of a leaf of this shape, and what to do.
std::string not_its_own_text(at::IntArrayRef shape);
/// Whether such a copy can stand for the tensor, which has its memory to itself as far as a storage can show.
bool can_be_copied(const at::Tensor& gradient);

/// When it dies, each member has the `.grad` again that it had, and what is none has none that the capture has made. Where the callable is
/// not a step, that is said only of gradients that the capture knows.
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
    bool is_in_place;
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
  /// Whether there is one where there was none, or the reverse.
  bool came_or_went() const;
  /// Whose it relied on.
  std::vector<at::Tensor> leaves() const;
  /// Whether a copy would do where the graph works on one in its place.
  bool left_place() const;
  /// Before a replay: lets go of what the step will replace, so that it does not seem to be held.
  void drop() const;
  /// After it: `gradients` in the order of take().
  void install(const std::vector<at::Tensor>& gradients) const;

 private:
  enum class relied_on {
    itself,
    copy,  ///< another one will do that have the same layout
    place  ///< another one will do that is there
  };
  struct relied_gradient {
    at::Tensor of;
    at::Tensor gradient;  ///< undefined: there must be none
    relied_on how;
  };
  std::vector<at::Tensor> replaced_;  ///< whose
  std::vector<relied_gradient> relied_;
};

}  // namespace graphed::impl
