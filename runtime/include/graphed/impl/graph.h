// SPDX-License-Identifier: Apache-2.0
//
// The two graphs of a call, as generated code uses them: stage, replay, take what was computed; and what the call's autograd node does.
#pragma once

#include <graphed/export.h>
#include <graphed/impl/host_results.h>
#include <graphed/impl/inputs.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace graphed::impl {

struct call_details;
class call_node;
class call_members;
class slot;
class backward_variant;
class BackwardGraph;
class leaf_gradients;
class reentrant_mutex;

/// A slot that one call has to itself. It serves others again when this lease has ended, which happens once.
class GRAPHED_API SlotLease {
 public:
  SlotLease() = default;
  /// Of a slot that was reserved.
  explicit SlotLease(std::shared_ptr<slot> reserved) : slot_(std::move(reserved)) {}
  SlotLease(SlotLease&& other) noexcept = default;
  SlotLease& operator=(SlotLease&& other) noexcept {
    if (this != &other) {
      end();
      slot_ = std::move(other.slot_);
    }
    return *this;
  }
  ~SlotLease() { end(); }

  explicit operator bool() const { return slot_ != nullptr; }
  slot& operator*() const { return *slot_; }
  slot* operator->() const { return slot_.get(); }
  const std::shared_ptr<slot>& leased() const { return slot_; }
  /// From now on others of the slot's pool may move what the call has returned.
  void end_forward();
  void end() noexcept;

 private:
  std::shared_ptr<slot> slot_;
};

/// What the autograd node of one graphed call does in a backward. Generated code derives from it, one class a callable. The node itself is
/// the runtime's: how LibTorch makes and owns one differs between its versions. It may end when the library of the derived class is gone,
/// whose destructor nothing calls.
class GRAPHED_API AutogradFunction {
 public:
  AutogradFunction() = default;
  AutogradFunction& operator=(AutogradFunction&&) = delete;

  /// The gradients of the node's edges for those of its results, on the thread that autograd calls the node on.
  virtual tensor_list apply(tensor_list&& gradients) = 0;

 protected:
  /// The backward graph for these incoming gradients, captured when they are the first of their pattern, or nothing where it cannot be
  /// captured. Throws what eager autograd throws: a second backward through a released node, a tensor that was modified in place since the
  /// forward. Differentiating twice throws when the gradients' own history is used.
  std::optional<BackwardGraph> backward(const tensor_list& gradients);
  /// The same gradients by eager autograd.
  tensor_list original_backward(const tensor_list& gradients);
  ~AutogradFunction() = default;

 private:
  friend class call_node;
  call_node* node_ = nullptr;  ///< which owns it
};

/// The captured forward that serves one call. Made by `Call`, valid until the call returns. stage, replay and outputs come once each, in
/// this order, on the thread that made the call.
class GRAPHED_API ForwardGraph {
 public:
  /// `was_captured_now`: the capture was the call itself, as on a tape. `members`: null, or those of the object that the callable replaces.
  ForwardGraph(SlotLease slot, std::shared_ptr<const call_details> details, bool was_captured_now, const call_members* members = nullptr)
      : slot_(std::move(slot)),
        details_(std::move(details)),
        so_far_(was_captured_now ? progress::captured : progress::nothing),
        members_(members) {}
  ForwardGraph& operator=(ForwardGraph&&) = delete;

  /// Copies the call's tensors into the static inputs, on the current stream. `inputs` must live until outputs().
  void stage(const Inputs& inputs);
  /// Launches the graph on the current stream, ordered after the last replay that shares its memory. Where the capture was the call
  /// itself, this one only counts. Where an operator throws, as one of a tape can, `inplace` arguments have what was written
  /// before it.
  void replay();
  /// Does both, before the caller comes to them, whose calls then do nothing.
  void run_ahead(const Inputs& inputs);
  const std::shared_ptr<slot>& served_by() const { return slot_.leased(); }
  /// This call's results: tensors over the static outputs, with a node of type `Function` as their history where gradients are wanted.
  /// `inplace` arguments have their new values, and members of the object have what the callable assigns to them.
  template <class Function>
  tensor_list outputs(const Inputs& inputs) {
    static_assert(std::is_base_of_v<AutogradFunction, Function> && std::is_trivially_destructible_v<Function>);
    static_assert(sizeof(Function) == sizeof(AutogradFunction),
                  "graphed: an autograd function has no members: the node has a place for none");
    return outputs(inputs, [](void* place) -> AutogradFunction* { return ::new (place) Function(); });
  }
  /// The same of a callable whose results are in the memory of the host, without a wait for them. They have no history.
  HostResults results_on_host(const Inputs& inputs);
  /// The form of the captured result: `made`, if this call made the capture, or what an earlier one gave. Comes before `outputs`.
  template <class Result>
  std::shared_ptr<const Result> form(const std::shared_ptr<const Result>& made) {
    return std::static_pointer_cast<const Result>(keep_form(made));
  }

 private:
  std::shared_ptr<const void> keep_form(const std::shared_ptr<const void>& made);
  using FunctionMaker = AutogradFunction* (*)(void* place);
  bool wants_gradients() const;
  tensor_list outputs(const Inputs& inputs, FunctionMaker make);
  tensor_list give(FunctionMaker make);

  SlotLease slot_;
  std::shared_ptr<const call_details> details_;
  enum class progress : uint8_t { nothing, captured, replayed };
  progress so_far_;
  const call_members* const members_;
  const Inputs* staged_ = nullptr;
  std::shared_ptr<delivered_results> coming_;
};

/// The captured backward for one pattern of incoming gradients (which are defined, and their strides). The caller calls stage, replay and
/// gradients once each, in this order, on autograd's thread for the node.
class GRAPHED_API BackwardGraph {
 public:
  /// `was_captured_now`: the capture was the backward itself, as on a tape. `alone`: while this lives, no other thread goes back through
  /// the same capture. `leaves`: null, or those whose `.grad` it changes.
  BackwardGraph(call_node& node, slot& slot, backward_variant& variant, bool was_captured_now, std::unique_lock<reentrant_mutex> alone,
                std::shared_ptr<leaf_gradients> leaves);
  ~BackwardGraph();
  BackwardGraph& operator=(BackwardGraph&&) = delete;

  /// Copies the incoming gradients into static memory, on the current stream.
  void stage(const tensor_list& gradients);
  /// Launches the graph on the current stream, ordered after the last replay that shares its memory. Where the capture was the backward
  /// itself, this one only counts.
  void replay();
  /// The gradients of the inputs and of the tensors that the callable closes over, in the order of the node's edges. Where nothing can
  /// show, they are in the leaves' `.grad` already, and gone from the list, as those edges are from the node. If an operator of a
  /// tape has behaved differently than in the capture, they are those of eager autograd.
  tensor_list gradients(const tensor_list& incoming);

 private:
  call_node& node_;
  slot& slot_;
  backward_variant& variant_;
  const bool was_captured_now_;
  std::unique_lock<reentrant_mutex> alone_;
  std::shared_ptr<leaf_gradients> leaves_;
  std::string taken_back_;  ///< why the replay was; empty: it has run
};

}  // namespace graphed::impl
