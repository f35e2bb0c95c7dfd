// SPDX-License-Identifier: Apache-2.0
//
// What one run of a callable shows, a warm-up or a capture: the observers of its operators, and what they have found.
#pragma once

#include "report/thread_number.h"
#include "torch/call_stack.h"
#include "watch/body.h"
#include "watch/body_memory.h"
#include "watch/capture_limits.h"
#include "watch/control_flow.h"
#include "watch/host_constants.h"
#include "watch/host_part.h"
#include "watch/host_reads.h"
#include "watch/live_source.h"
#include "watch/observer.h"
#include "watch/operator_trace.h"
#include "watch/outside_watch.h"
#include "watch/random_watch.h"
#include "watch/rank_group.h"

#include <c10/core/Device.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphed::impl {

class accumulators_on_stream;

/// What a recording knows, for the length of a question: no operator is shown meanwhile.
template <class Watch>
class locked {
 public:
  locked(std::mutex& mutex, Watch& watch) : lock_(mutex), watch_(watch) {}
  Watch* operator->() const { return &watch_; }

 private:
  std::unique_lock<std::mutex> lock_;
  Watch& watch_;
};

/// Operators come from any thread, one at a time; so may questions, unless they say otherwise. A member for each observer, and a question
/// to each: that is why there are so many of both.
class recording {
 public:
  enum class purpose { warmup, capture };

  /// `host_tensors_allowed`: on a CPU every tensor lives in host memory; in a CUDA capture a host tensor from outside would be frozen.
  recording(purpose purpose, bool host_tensors_allowed);
  recording& operator=(recording&&) = delete;

  bool is_capture() const { return purpose_ == purpose::capture; }
  /// No other recording of the process has it.
  uint64_t number() const { return number_; }

  /// The number of the thread that has made it, whose run it is.
  uint64_t thread() const { return thread_; }

  /// Shows the operators to one more, after the others. Before the first of them.
  void add(std::shared_ptr<observer> observer) { add(observers_, std::move(observer)); }
  /// The same for one to whom an operator is shown where it was intercepted, around its kernel alone.
  void add_recorder(std::shared_ptr<observer> recorder) { add(recorders_, std::move(recorder)); }
  /// Shows an operator to all but those recorders. Throws what the first of them throws to refuse it.
  void before(const operator_call& call);
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results);
  /// Results of an operator that runs as a part of another one, which is shown alone.
  void note_made(c10::ArrayRef<c10::IValue> results);
  /// Shows it to the recorders.
  void before_kernel(const operator_call& call);
  void after_kernel(const operator_call& call, c10::ArrayRef<c10::IValue> results);
  /// After its kernel: as observer::undeclared_write.
  void note_undeclared_write(const operator_call& call, const at::Tensor& argument);
  /// Throws CaptureError if an operator was refused, whatever became of that error, if a random generator was set, or for a host part: when
  /// the callable has run.
  void check_complete() const;
  /// It notes no more operators: those of threads whose work outlives it. Waits for what is being noted.
  void end();
  /// For what operators do not show: check_complete() throws. Nothing after the end.
  void refuse(const std::string& why);

  /// Whose the tensors are, and those from outside.
  locked<outside_watch> tensors() { return {mutex_, outside_}; }
  locked<const outside_watch> tensors() const { return {mutex_, outside_}; }
  /// Before a step runs: which tensors are the `.grad` of leaves is noted, of these, and of those that it comes to use.
  void watch_gradients(const std::vector<at::Tensor>& known) { tensors()->watch_gradients(known); }
  /// Those that something else holds; of a step, or where autograd goes back, with their leaves.
  std::vector<outside_tensor> held_outside() const;
  /// For observers that were added, as they are shown an operator.
  const outside_watch& outside() const { return outside_; }

  /// Where host tensors are not allowed: copies of constants to the device are made so from now on. Keeps a reference.
  void copy_constants_ahead(ahead_of_replays& ahead) { ahead_ = &ahead; }
  /// Runs the operator, whose arguments are on the stack, where it is such a copy.
  bool run_as_copy_of_constant(const operator_call& call, torch::jit::Stack& stack);
  /// What the graph reads of them.
  std::vector<at::Tensor> copied_constants() const;

  /// The callable returns numbers that it reads of tensors: it gets these in their place. Before the first operator.
  void take_host_reads(placeholders given, bool narrows = false) { host_reads_.emplace(given, narrows); }
  /// Null where it returns none. For the thread that records.
  const host_reads_of_run* host_reads() const { return host_reads_ ? &*host_reads_ : nullptr; }
  /// As host_reads_of_run::note_truth_value.
  bool note_truth_value(bool value) { return host_reads_ && host_reads_->note_truth_value(value); }
  /// Whether the number of the tensor is one of those.
  bool takes_read_of(const at::Tensor& tensor) const;
  /// As host_reads_of_run::read. Nothing after the end.
  std::optional<c10::Scalar> note_read(const at::Tensor& copy, const c10::Scalar& number);

  /// What the callable runs on the host. For the thread that records.
  host_parts_of_run& host_parts() { return host_parts_; }
  const host_parts_of_run& host_parts() const { return host_parts_; }

  /// Branches and loops go to `capture`. Before the first operator.
  void hold_flow(flow_capture& capture) { flow_ = &capture; }
  /// Null where the host decides.
  flow_capture* flow() const { return flow_; }
  /// A branch is run in grad mode: its results require grad in this run, or perhaps in another one.
  void note_branch_in_grad_mode(bool has_gradient) {
    const std::lock_guard lock(mutex_);
    has_branch_with_gradient_ = has_branch_with_gradient_ || has_gradient;
    trace_.leave_out_backwards();
  }
  bool has_branch_with_gradient() const { return has_branch_with_gradient_; }
  /// Before the first operator: the callable gets it as this argument.
  void note_argument(const at::Tensor& argument, std::size_t index) {
    const std::lock_guard lock(mutex_);
    trace_.note_argument(argument, index);
  }
  /// A branch or loop gets these, or one of its bodies returns them. Where no operator uses them, nothing else shows which ones they are.
  void note_choice(const char* name, at::TensorList tensors, std::optional<int64_t> at_most = std::nullopt) {
    const std::lock_guard lock(mutex_);
    trace_.note_choice(name, tensors, at_most);
  }
  /// The same of what a callable with branches or loops returns.
  void note_results(at::TensorList results) {
    const std::lock_guard lock(mutex_);
    if (has_choices()) {
      trace_.note_results(results);
    }
  }
  /// Of a capture: gradients reach a tensor of that shape through one body of a branch alone.
  void note_gradient_of_one_body(at::IntArrayRef shape);
  /// The shape of the first of these, or empty.
  std::string gradient_of_one_body() const;
  /// How many branches and loops came before, outside of their bodies. For the thread that records.
  std::size_t count_choice() { return choices_++; }
  bool has_choices() const { return choices_ != 0; }
  /// The innermost body that it runs, or null. For its own threads (own_recording()) and for observers: others may find that it has ended.
  body_place* body() const { return body_; }
  void enter_body(body_place* body);
  void leave_body(const body_place& body);
  /// The innermost body may use what that visit has made.
  void use_also(uint64_t visit);
  /// The paths of those that it has run.
  const body_paths& bodies_run() const { return bodies_run_; }
  /// Of a branch, the body comes first whose path is among these, and not the other's: the last one is then another than in that run. What
  /// it leaves in variables makes a difference. Before the first operator.
  void put_first(body_paths run_before) { run_before_ = std::move(run_before); }
  bool comes_first(const std::string& path) const { return run_before_.count(path) != 0; }
  /// Of a capture: what its bodies have made.
  locked<body_memory> bodies() { return {mutex_, bodies_}; }

  /// The operator that was entered last, "aten::add.Tensor", or empty.
  std::string last_operator() const;
  /// This thread runs the callable, from this frame on.
  void run_from(std::size_t depth) { runner_ = {thread_number(), depth}; }
  /// This thread's, without what has called the callable.
  call_stack stack() const;
  /// An operator that the callable runs has thrown, on this thread: notes where in the user's code that was, in a capture.
  void note_failure();
  /// The same of "graphed::if_else" or another name that stands for one: an exception leaves it, which no operator has thrown.
  void note_failure_of(const char* name);
  /// " at operator aten::equal (compare on the device), in app::loss (loss.cpp:31)": the last operator, what to write in its place, and the
  /// functions in which it failed. Empty where there was none.
  std::string place() const;
  /// Of the operators so far.
  operator_trace trace() const;
  /// The first operator that steps a parameter by a number from the host, in words.
  std::string frozen_update() const;
  /// Whether the callable reads a value on the host, which ends every capture.
  bool reads_on_host() const { return reads_on_host_; }
  void note_host_read() { reads_on_host_ = true; }
  /// Whether autograd goes back within it.
  bool goes_back() const { return goes_back_; }
  void note_backward();
  /// The accumulators that autograd comes to are moved there. Before the first operator; keeps a reference.
  void move_accumulators_to(accumulators_on_stream& there) { accumulators_ = &there; }

  /// Whose collectives the callable runs.
  rank_groups groups() const;
  void note_group(const std::shared_ptr<rank_group>& group);
  /// Collectives of the callable do nothing: the other ranks do not run it. Before the first operator.
  void leave_out_collectives() { leaves_out_collectives_ = true; }
  bool leaves_out_collectives() const { return leaves_out_collectives_; }

  /// From now on, a state of a random generator that is set in between is noticed, and ends a capture.
  void watch_random_numbers(c10::Device device);
  /// Whether one was.
  bool sets_random_state() const;
  /// Sets the generators that are watched back to where they stood.
  void put_back_random_numbers() const;

  /// What host code of the callable decides on. For the thread that records.
  live_sources& sources() { return sources_; }
  const live_sources& sources() const { return sources_; }

 private:
  void add(std::vector<observer*>& to, std::shared_ptr<observer> observer);
  void note_stack();
  template <class Show>
  void show(const std::vector<observer*>& observers, Show show);

  const purpose purpose_;
  const uint64_t number_;
  const uint64_t thread_ = thread_number();
  mutable std::mutex mutex_;
  bool has_ended_ = false;
  std::mutex copying_;  ///< a constant, by operators that the recording is shown
  std::string refused_, last_operator_;
  bool is_in_operator_ = false;  ///< the last one
  std::pair<uint64_t, std::size_t> runner_;
  std::pair<std::string, call_stack> failure_;  ///< an operator, and where
  std::string failed_in_;                       ///< autograd's node that ran it in a backward, or empty
  std::vector<observer*> observers_, recorders_;
  std::vector<std::shared_ptr<observer>> added_;
  std::optional<random_watch> random_;
  outside_watch outside_;
  trace_watch trace_{outside_};
  frozen_update_watch update_{outside_};
  capture_limits limits_{outside_};
  std::optional<host_constants> constants_;
  ahead_of_replays* ahead_ = nullptr;
  std::optional<host_reads_of_run> host_reads_;
  std::atomic<bool> reads_on_host_{false}, goes_back_{false};
  accumulators_on_stream* accumulators_ = nullptr;  ///< null: they stay on their own streams
  live_sources sources_;
  host_parts_of_run host_parts_;
  flow_capture* flow_ = nullptr;
  std::size_t choices_ = 0;
  std::atomic<body_place*> body_{nullptr};
  body_paths bodies_run_, run_before_;
  body_memory bodies_;
  std::atomic<bool> has_branch_with_gradient_{false};
  std::string gradient_of_one_body_;
  rank_groups groups_;
  bool leaves_out_collectives_ = false;
};

}  // namespace graphed::impl
