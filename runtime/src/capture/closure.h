// SPDX-License-Identifier: Apache-2.0
//
// The tensors that a callable uses and that are not its arguments: a module's parameters and buffers, globals, members, captured
// references. A graph reads and writes them where they are, so each call checks that they are still there.
#pragma once

#include "capture/stand_ins.h"
#include "capture/state_claim.h"
#include "torch/accumulators.h"
#include "torch/hooks.h"
#include "torch/node.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <unordered_map>
#include <vector>

namespace graphed::impl {

/// What a capture works on: stand-ins for the tensors that its callable closes over, or those themselves, with their autograd state set
/// aside meanwhile, which other threads then miss.
enum class captured_on : uint8_t { stand_ins, originals };

/// What becomes of the members' hooks in a capture: they run outside of it, on the gradients that it returns; those of a step inside.
enum class leaf_hooks { set_aside, run };

/// What a capture relies on of a tensor.
struct pinned_state {
  const void* data = nullptr;
  bool requires_grad = false;
  std::vector<int64_t> sizes, strides;
  caffe2::TypeMeta dtype;
  hook_counts hooks;
};

struct closure_member {
  at::Tensor tensor;
  pinned_state pinned;
  bool used = false;
  bool written = false;  ///< by an operator that counts versions
  bool saved = false;    ///< the backward needs its value

  at::Tensor stand_in;  ///< in a capture on stand-ins, where there can be one
  /// In a capture on originals: what autograd sees instead of the tensor's own while the callable or a backward is captured. A capture must
  /// neither find nodes and versions of the caller's graphs nor leave its own in them.
  owned_node<torch::autograd::Node> accumulator;
  c10::VariableVersion version{0};

  /// What the captured graph holds.
  const at::Tensor& captured() const { return stand_in.defined() ? stand_in : tensor; }
};

class closure {
 public:
  closure_member& add(const at::Tensor& tensor);
  /// Null where it is not a member.
  const closure_member* find(const c10::TensorImpl* tensor) const;
  /// The member whose captured() it is, or null.
  const closure_member* find_captured(const at::Tensor& tensor) const;
  std::vector<closure_member>& members() { return members_; }
  const std::vector<closure_member>& members() const { return members_; }
  std::vector<at::Tensor> tensors() const;
  std::vector<at::Tensor> captured_tensors() const;
  /// What a state_claim is made of.
  std::vector<const c10::TensorImpl*> identities() const;

  /// Before a capture on stand-ins: makes those of the members that are there.
  void make_stand_ins();
  const std::shared_ptr<stand_ins>& pairs() const { return stand_ins_; }

  /// Notes the addresses and flags that a capture relies on, and the hooks that run inside it.
  void pin(leaf_hooks hooks);
  /// Whether they still hold.
  bool unchanged() const;

 private:
  bool has_same_hooks(const closure_member& member) const;

  leaf_hooks hooks_ = leaf_hooks::set_aside;
  std::vector<closure_member> members_;
  std::shared_ptr<stand_ins> stand_ins_ = std::make_shared<stand_ins>();  ///< shared with work that outlives a capture
  std::unordered_map<const c10::TensorImpl*, std::size_t> index_;
};

/// While it lives, the members have accumulators and version counters of their own, which no graph of the caller sees.
class private_autograd_state {
 public:
  /// Throws CaptureError where hooks are to run that only the members' own accumulators have, and where it has waited in vain for another
  /// thread that has set the state of one of them aside.
  explicit private_autograd_state(closure& members, leaf_hooks hooks = leaf_hooks::set_aside);
  ~private_autograd_state();
  private_autograd_state& operator=(private_autograd_state&&) = delete;

 private:
  struct original {
    c10::VariableVersion version{0};
    std::optional<hooks_aside> hooks;
    std::optional<accumulator_aside> accumulator;
  };
  const state_claim alone_;
  closure& members_;
  std::vector<original> originals_;
};

/// While it lives, what the thread does to the members belongs to the capture alone.
class isolated_closure {
 public:
  isolated_closure(closure& members, captured_on tensors, leaf_hooks hooks = leaf_hooks::set_aside) {
    if (tensors == captured_on::stand_ins) {
      stand_ins_.emplace(members.pairs());
    } else {
      originals_.emplace(members, hooks);
    }
  }

 private:
  std::optional<stand_in_scope> stand_ins_;
  std::optional<private_autograd_state> originals_;
};

}  // namespace graphed::impl
