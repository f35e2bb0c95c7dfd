// SPDX-License-Identifier: Apache-2.0
//
// Whose the tensors are that operators use: the callable's inputs, tensors from outside, or what operators have made; and which of them are
// written.
#pragma once

#include "torch/allocations.h"
#include "watch/observer.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace graphed::impl {

/// What an operator does to the memory of an argument.
enum class access {
  read,
  write,
  hidden_write,  ///< which neither the schema nor a version counter shows
};
/// Of the argument with this index.
access access_to_argument(const operator_call& call, std::size_t index);

/// A tensor that was there before the recording began and is not an input.
struct outside_tensor {
  at::Tensor tensor;     ///< the TensorImpl that the first operator saw
  bool written = false;  ///< by an operator that counts versions
  bool changed = false;  ///< by any operator
  bool used = false;     ///< otherwise than by detach, which zero_grad calls on what it drops
  bool held = false;     ///< by others than the recording
  at::Tensor leaf = {};  ///< whose `.grad` it was when a step began, or is after a run in which autograd goes back
};

/// Leaves, and what their `.grad` is; undefined: none.
using gradients_by_leaf = std::vector<std::pair<at::Tensor, at::Tensor>>;
/// The first leaf whose `.grad` is another one now; undefined where there is none.
at::Tensor first_changed(const gradients_by_leaf& before);

/// Whose memory is.
enum class origin {
  unknown,
  input,
  outside,  ///< an operator has used it
  inside,   ///< an operator has made it, or it was allocated on the device since the recording began
};

/// Whether the operator lets go of its argument, as zero_grad does with a gradient, which has no history.
bool lets_go(const operator_call& call, const at::Tensor& argument);
/// Null where there is none.
const c10::StorageImpl* storage_of(const at::Tensor& tensor);

class outside_watch final : public observer {
 public:
  /// A tensor in host memory from outside is refused unless that is allowed.
  explicit outside_watch(bool host_tensors_allowed) : host_tensors_allowed_(host_tensors_allowed) {}

  /// What the device's memory was given since: tensors there that no operator has made are the callable's own too.
  const std::shared_ptr<device_allocations>& allocations() const { return allocations_; }

  /// Notifies one more of first uses and first writes. Keeps the address.
  void tell(observer& each) { told_.push_back(&each); }
  /// Tensor `name` is an input: reading it is expected, writing it only if `writable`.
  void add_input(const at::Tensor& tensor, std::string name, bool writable);
  /// The caller's tensor of this input has larger gaps between its elements.
  void note_smaller_gaps(const at::Tensor& input) { inputs_.at(storage_of(input)).has_smaller_gaps = true; }
  /// Tensor is known to be held by something outside: in host memory, it is not a number of the callable's own. Operators get the stand-in
  /// in its place, where that is defined.
  void add_held(const at::Tensor& tensor, const at::Tensor& stand_in);
  /// From now on, leaves that are used report their `.grad`; these do now.
  void watch_gradients(const std::vector<at::Tensor>& known);
  /// The callable decides on the host by whether this has a `.grad`, or uses that.
  void note_gradient_of(const at::Tensor& tensor);
  /// Of a step: arguments that are leaves, leaves that it has used, and those whose `.grad` was noted, with the `.grad` that they have now.
  gradients_by_leaf gradients_of_leaves() const;
  /// Of these, those that the step has given that `.grad`, or has taken theirs from.
  gradients_by_leaf made_gradients() const;
  /// Of a `.grad` that was noted, the leaf; else undefined.
  at::Tensor leaf_of(const at::Tensor& gradient) const;
  /// What an operator has made as a part of another one.
  void note_made(const at::Tensor& tensor);

  /// Throws CaptureError for a write to an input that is not writable, and for a host tensor from outside.
  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;
  void undeclared_write(const operator_call& call, const at::Tensor& argument) override { note(call, argument, access::hidden_write); }

  /// Whether it has been added as an input.
  bool is_input(const at::Tensor& tensor) const { return inputs_.count(storage_of(tensor)) != 0; }
  /// Whether an operator wrote to this input.
  bool writes(const at::Tensor& input) const { return inputs_.at(storage_of(input)).written; }
  /// The name of the input whose memory it shows, where the caller's has larger gaps; else null.
  const std::string* shows_smaller_gaps(const at::Tensor& tensor) const;
  /// Whose its memory is.
  origin origin_of(const at::Tensor& tensor) const;
  /// Whether an operator has used this very tensor since the last one that returned it.
  bool goes_on_from(const at::Tensor& tensor) const { return operands_.count(tensor.unsafeGetTensorImpl()) != 0; }
  /// From outside, that or another handle of its memory, as data() makes one, and requires grad.
  bool is_parameter(const at::Tensor& tensor) const;
  /// Whether it is the caller's own tensor, not a view that the callable made of it.
  bool is_callers(const at::Tensor& tensor) const;
  /// The memory from outside that operators used.
  std::unordered_set<const c10::StorageImpl*> used_storages() const;

  /// Those that something else holds, in the order of their first use, then those that the recording alone does.
  std::vector<outside_tensor> all() const;
  /// What is wrong with the first of the others that is not a number: state that the callable has replaced meanwhile, or a tensor made of
  /// host memory. Empty where there is none.
  std::string abandoned() const;

 private:
  struct input {
    std::string name;
    bool writable;
    bool has_smaller_gaps = false;
    bool written = false;
  };
  void note(const operator_call& call, const at::Tensor& tensor, access access);
  void note_write(const at::Tensor& tensor, bool& is_written);
  void note_leaf(const at::Tensor& tensor);
  void note_inside(const at::Tensor& tensor);
  void note_result(const at::Tensor& tensor);
  void note_given(const c10::StorageImpl* storage);
  std::size_t index_of(const at::Tensor& used);

  const bool host_tensors_allowed_;
  const std::shared_ptr<device_allocations> allocations_ = std::make_shared<device_allocations>();
  std::vector<observer*> told_;
  std::unordered_map<const c10::StorageImpl*, input> inputs_;
  std::unordered_set<const c10::TensorImpl*> input_handles_;
  using weak_tensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
  std::vector<weak_tensor> input_leaves_;  ///< that require grad
  std::unordered_set<const c10::StorageImpl*> held_;
  std::unordered_map<const c10::TensorImpl*, at::Tensor> originals_;  ///< by their stand-ins
  using weak_storage = c10::weak_intrusive_ptr<c10::StorageImpl>;
  std::unordered_map<const c10::StorageImpl*, weak_storage> inside_;  ///< no other memory gets their addresses
  std::unordered_set<const c10::StorageImpl*> given_;                 ///< from outside, to operators that set a tensor to it
  std::unordered_set<const c10::TensorImpl*> operands_;               ///< not returned by an operator since
  std::unordered_map<const c10::StorageImpl*, std::size_t> by_storage_;
  std::unordered_map<const c10::TensorImpl*, std::size_t> by_tensor_;
  std::unordered_set<const c10::TensorImpl*> views_;  ///< of tensors from outside, made by the recorded operators
  std::vector<outside_tensor> tensors_;
  struct leaf_gradient {
    weak_tensor gradient, leaf;  ///< no other tensor gets their addresses
  };
  bool watches_gradients_ = false;
  std::unordered_map<const c10::TensorImpl*, leaf_gradient> gradients_;
};

}  // namespace graphed::impl
