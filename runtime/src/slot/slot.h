// SPDX-License-Identifier: Apache-2.0
//
// One capture of a callable: its forward graph with static inputs and results, and its backwards. It serves one call at a time: from the
// forward until that call's backward has run or its autograd graph is gone.
#pragma once

#include "report/thread_number.h"
#include "slot/backward_table.h"
#include "slot/capture.h"

#include <graphed/impl/graph.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace graphed::impl {

/// Who has a slot: nothing, or a call, whose forward is under way or whose backward is to come. Others of the pool may move what the slot
/// has returned in between, but never during a forward.
class occupancy {
 public:
  /// For a call whose forward begins. False where another has the slot. Waits for a pause of another thread.
  bool try_take() {
    while (true) {
      uint8_t found = 0;
      if (state_.compare_exchange_weak(found, taken | in_forward)) {
        return true;
      }
      if ((found & taken) != 0 || (found != 0 && pausing_ == thread_number())) {
        return false;
      }
      std::this_thread::yield();
    }
  }
  void end_forward() { state_ &= static_cast<uint8_t>(~in_forward); }
  bool is_in_forward() const { return (state_ & in_forward) != 0; }
  void let_go() { state_ &= paused; }

  /// While it lives, and is not a failure, no forward begins.
  class pause {
   public:
    explicit pause(occupancy& of) : of_(of) {
      uint8_t found = of_.state_;
      while ((found & (in_forward | paused)) == 0) {
        if (of_.state_.compare_exchange_weak(found, found | paused)) {
          of_.pausing_ = thread_number();
          holds_ = true;
          is_taken_ = (found & taken) != 0;
          return;
        }
      }
    }
    ~pause() {
      if (holds_) {
        of_.pausing_ = no_thread;
        of_.state_ &= static_cast<uint8_t>(~paused);
      }
    }
    pause(const pause&) = delete;
    pause& operator=(const pause&) = delete;
    /// False where a forward is under way.
    explicit operator bool() const { return holds_; }
    /// Whether a call awaits its backward.
    bool is_taken() const { return is_taken_; }

   private:
    occupancy& of_;
    bool holds_ = false, is_taken_ = false;
  };

 private:
  static constexpr uint8_t taken = 1, in_forward = 2, paused = 4;

  std::atomic<uint8_t> state_{0};
  std::atomic<uint64_t> pausing_{no_thread};
};

class slot : public std::enable_shared_from_this<slot>, private pool_user {
 public:
  slot(std::shared_ptr<const CallableSpec> description, const SampleSpec& sample, backend& backend, std::shared_ptr<pool> pool,
       c10::Device device, std::shared_ptr<ledger> counts);
  ~slot();

  /// As impl::capture. Once only.
  void capture(const capture_task& task, std::shared_ptr<recording>& seen);

  /// For one call at a time. Nothing while another thread holds results that show its memory: that thread may be about to read them, and
  /// would not see them move.
  SlotLease lease();
  /// What is to hold a captured slot for calls: when the last copy dies, no more calls come, and only the backwards of earlier ones.
  static std::shared_ptr<slot> served(std::shared_ptr<slot> made);
  bool is_served() const { return is_served_; }
  /// Whether its forward, or one of its backwards, may run now: nothing else of its pool has values where it would write.
  bool may_replay(const executable& work) { return can_be_overwritten() && site_.pool->make_way(*this, work.number(), user_); }

  /// The captured result without its tensors, as generated code made it: given once, then kept.
  const std::shared_ptr<const void>& keep_form(const std::shared_ptr<const void>& made) { return made ? form_ = made : form_; }
  /// Captures the backward ahead: backward_table::prepare. What was captured so far is not a call.
  void prepare_backward(bool required = false);

  // Of the call that holds the lease.

  void stage(const Inputs& inputs, const call_details& details);
  /// Counts the call, and launches the graph unless its capture `was_the_call`.
  void replay(bool was_the_call);
  /// After a replay that threw: what had been written by then is the caller's, as in eager mode. Where nothing was launched, nothing has
  /// changed.
  void end_failed_replay(const Inputs& inputs);
  /// `node`: null, or the history of what the call computed. Then `saved` is what its backward needs.
  /// Results that are delivered to the host are left undefined.
  tensor_list outputs(const Inputs& inputs, const call_details& details, const owned_node<torch::autograd::Node>& node,
                      std::vector<saved_tensor>* saved);

  /// After outputs(): those in the memory of the host, or null.
  std::shared_ptr<delivered_results> results_on_host(const std::shared_ptr<const call_details>& details) { return host_.results(details); }

  capture_site& site() { return site_; }
  const captured_callable& callable() const { return callable_; }
  backward_table& backwards() { return backwards_; }
  /// The number of the thread that owns what it returns.
  uint64_t user() const { return user_; }
  /// The capture was made for the call that it serves.
  bool serves_first_call() const { return served_ == 1; }
  /// Before a replay of this capture: moves what callers hold of it and of later ones, but what these tensors show.
  void keep_results(uint64_t first_capture, at::TensorList but = {}) {
    overwrite next(site_.order);
    keep_results(next, first_capture, but);
  }

 private:
  friend class SlotLease;

  void end_serving() noexcept;
  void end_forward();
  /// Lets go of what only forwards need, and of which the code may go with the callable's library.
  void forget_code() noexcept;
  bool make_way(uint64_t capture, uint64_t thread) override;
  void leave() noexcept override;
  bool shows_results(uint64_t first_capture) const;
  bool can_be_overwritten() const { return !site_.order.has_streams() || can_be_overwritten(overwrite(site_.order)); }
  bool can_be_overwritten(const overwrite& next) const {
    return callable_.results.can_be_overwritten(next) && backwards_.can_be_overwritten(next);
  }
  void keep_results(overwrite& next, uint64_t first_capture, at::TensorList but);

  capture_site site_;
  static_arguments arguments_;
  host_transfer host_;
  captured_callable callable_;
  backward_table backwards_;
  occupancy occupancy_;
  std::atomic<uint64_t> user_{no_thread};                 ///< who leased it last
  std::shared_ptr<const std::atomic<bool>> end_of_user_;  ///< null unless the last call was on a stream that only its thread can wait for
  uint64_t served_ = 0;                                   ///< calls: the first one is the captured one
  std::shared_ptr<const void> form_;
  std::atomic<bool> is_served_{true};
};

/// For people: what the slot holds, and a line for each backward. Does not wait.
std::vector<std::string> explain(slot& slot);
/// What the report says of it. `parameters`: the names of tensors that it closes over. Does not wait.
reported_capture report_of(slot& slot, const memory_names& parameters);

}  // namespace graphed::impl
