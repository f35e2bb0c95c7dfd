// SPDX-License-Identifier: Apache-2.0
//
// The operators that a callable ran on CPU tensors, kept so that they can run again into the same storages.
#pragma once

#include "backend/replay_turns.h"
#include "backend/tape/library_operator.h"
#include "backend/tape/replay_undo.h"
#include "report/run/operator_times.h"
#include "torch/dispatch_path.h"
#include "torch/tensors_of.h"
#include "watch/control_flow.h"
#include "watch/observer.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <algorithm>
#include <cstddef>
#include <iosfwd>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace graphed::impl {

class outside_watch;

/// What a replay calls instead of a recorded operator. It leaves every result where the recording has it.
struct direct_call {
  c10::OperatorHandle op;
  std::vector<c10::IValue> arguments;
};

/// For an operator with these arguments, all of whose results are tensors that it made, or none is. It is the overload that writes into
/// given tensors, where its kernel is the operator's own (a structured one). A number beside a tensor of float or double becomes that
/// dtype's, so that no call converts it. None where nothing is gained, or the bits might be others.
std::optional<direct_call> find_direct_call(const c10::OperatorHandle& op, const dispatch_path& below,
                                            const std::vector<c10::IValue>& arguments, const std::vector<c10::IValue>& made);

class tape final : public observer {
 public:
  /// Of a capture with these inputs, to which it keeps a reference until settle().
  explicit tape(const outside_watch& inputs) : inputs_(&inputs) {}

  /// Refuses what a CUDA capture could not record either: reading a value on the host, shapes that depend on values.
  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;
  void before_write(const at::Tensor& tensor) override;
  void undeclared_write(const operator_call& call, const at::Tensor& argument) override;

  /// Records the bodies, and runs what the recording's own values choose: what another body writes is undone.
  void choose(const flow_choice& what, c10::ArrayRef<flow_body> bodies);

  /// Runs the operators again, below autograd and autocast, each under the grad mode that it was recorded with. Threads take turns: where
  /// there are host parts, by `turns`, as no lock may be held while one runs. Throws changed_results if an operator of another library
  /// behaves differently than in the capture; what the replay has done by then is taken back.
  void replay(replay_turns& turns) const;
  bool may_change_results() const { return undo_ != nullptr; }
  /// These storages keep their addresses, and their bytes if no operator made them. A storage that is not pinned may take over an
  /// operator's fresh result.
  void pin(at::TensorList tensors);
  /// Pins whatever the operators made.
  void pin_results();
  /// Restores what the recording has written to tensors from outside.
  void undo();
  /// Forgets how to. What replays need to take themselves back stays.
  void settle();
  /// Keeps the share of its pool from now on.
  void hold(std::shared_ptr<void> share) { share_ = std::move(share); }
  uint64_t bytes() const;
  std::size_t host_parts() const { return host_parts_; }
  /// How often the operators hold each storage, with those that they made.
  std::unordered_map<const c10::StorageImpl*, std::size_t> held_memory() const;
  /// The first replays after this measure the operators.
  void time_operators() { times_ = std::make_unique<least_times>(); }
  /// Of the operators that the callable ran.
  std::vector<operator_time> operator_times() const;

  /// How often each operator will run.
  std::map<std::string, std::size_t> operator_counts() const;
  /// In Graphviz's language; an edge leads from the last operator that wrote a tensor's storage.
  void write_dot(std::ostream& out) const;

 private:
  struct body_in_hand;
  /// Tapes of which a tensor's value chooses.
  struct flow {
    void run(torch::jit::Stack& stack) const;
    bool is_true() const { return *static_cast<const bool*>(choice.truth.const_data_ptr()); }

    flow_choice choice;
    std::vector<std::unique_ptr<tape>> bodies;
  };
  struct step {
    c10::OperatorHandle op;
    dispatch_path below;
    bool grad_mode;
    std::vector<c10::IValue> arguments;
    std::vector<c10::IValue> results;
    std::vector<bool> are_data;  ///< by result: a replay copies it back, where it does not ignore it
    std::optional<direct_call> direct;
    bool is_callables = true;                                 ///< false: it restores what the callable wrote on the host
    bool is_host_part = false;                                ///< whose results nothing but itself decides on
    bool draws = false;                                       ///< from the default generator
    std::shared_ptr<const library_operator> of_library = {};  ///< null: it does what its schema says
    std::shared_ptr<flow> chosen = {};                        ///< null: it is an operator
    bool runs_apart = false;                                  ///< in another way than most

    /// Calls `f` with each storage that the operator made.
    template <class F>
    void for_each_made(F&& f) const {
      for (std::size_t i = 0; i < are_data.size(); ++i) {
        if (are_data[i]) {
          for_each_storage(results[i], f);
        }
      }
    }
    void run(torch::jit::Stack& stack) const;
    void find_direct();
  };
  void record(const operator_call& call, c10::ArrayRef<c10::IValue> results);
  /// What replays can take back, and what not. Throws CaptureError where they would have to.
  void note_order(const operator_call& call, c10::ArrayRef<c10::IValue> results);
  std::unique_ptr<replay_undo> make_undo() const;
  void replay(torch::jit::Stack& stack, replay_turns& turns) const;
  void run_once(torch::jit::Stack& stack, replay_turns& turns) const;
  void run_all(torch::jit::Stack& stack, replay_turns* turns = nullptr) const;
  static void run_rest(const flow& recorded);
  template <class F>
  void for_each_body(F&& f) const {
    for (const step& step : steps_) {
      for (std::size_t i = 0; step.chosen && i < step.chosen->bodies.size(); ++i) {
        f(*step.chosen->bodies[i]);
      }
    }
  }
  /// With those of bodies.
  template <class F>
  void for_each_step(F&& f) const {
    std::for_each(steps_.begin(), steps_.end(), f);
    for_each_body([&](const tape& body) { body.for_each_step(f); });
  }
  void fill_from_host(const c10::StorageImpl* used);
  void fill_all_from_host();
  /// `turns`: null in a body, which has no host parts. `grad_mode`: this thread's.
  void run(const step& step, torch::jit::Stack& stack, replay_turns* turns, bool& grad_mode) const;
  static void run_apart(const step& step, torch::jit::Stack& stack, replay_turns* turns);
  void take_results(const step& step, const torch::jit::Stack& stack) const;
  /// `is_alone`: the stack alone holds it, so that its memory may be moved.
  void take_result(const at::Tensor& recorded, const at::Tensor& fresh, bool is_alone) const;

  std::shared_ptr<void> share_;
  mutable std::mutex replay_mutex_;
  mutable torch::jit::Stack stack_;  ///< empty between replays
  std::vector<step> steps_;
  std::size_t host_parts_ = 0;          ///< of them
  std::unique_ptr<least_times> times_;  ///< null: not asked for
  std::unordered_set<const c10::StorageImpl*> pinned_;
  std::unordered_map<const c10::StorageImpl*, c10::weak_intrusive_ptr<c10::StorageImpl>> allocated_;  ///< not used by an operator yet
  std::vector<std::pair<at::Tensor, at::Tensor>> before_writes_;                                      ///< a whole storage, its bytes before
  const outside_watch* inputs_;
  std::optional<std::size_t> writes_to_undo_;  ///< so many of them had come by the last operator of another library; none: no such
  std::string last_of_library_;                ///< that operator
  std::string never_undone_;                   ///< what has run, "a host part"; or empty
  at::Tensor random_before_;                   ///< where the default generator stood before an operator of another library
  std::unique_ptr<replay_undo> undo_;          ///< null: there is no such operator
  body_in_hand* body_ = nullptr;               ///< operators go there
};

}  // namespace graphed::impl
