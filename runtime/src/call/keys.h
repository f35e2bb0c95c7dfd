// SPDX-License-Identifier: Apache-2.0
//
// The captures of one callable by their keys.
#pragma once

#include "call/call_times.h"
#include "call/members.h"
#include "call/shown_host_results.h"
#include "slot/retry_schedule.h"
#include "slot/slot.h"

#include <graphed/error.h>
#include <graphed/stats.h>

#include <c10/util/FunctionRef.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graphed::impl {

/// Keys without a capture that are remembered. Each holds what its calls have used from outside, and a name for each operator of them.
constexpr std::size_t uncaptured_keys = 64;

struct captured_slot {
  std::shared_ptr<slot> serving;
  tensor_identities module_tensors;  ///< that it was captured with, and those of its object
};

/// Misses of one reason.
struct counted_misses {
  uint64_t calls = 0;
  std::string why;  ///< of the last one, where there is more to say than the reason
};
using misses_by_reason = std::map<Miss, counted_misses>;

/// Changes after which a step whose leaves have a `.grad` in some calls only has a capture for those, and one for the others: as warm-ups
/// see them, which end after a few, and as captures do that end because of them.
constexpr int changes_of_warmups = 3, changes_of_captures = 4;

/// How close calls of a key are to a capture.
struct capture_tries : retry_schedule {
  int warmups = 0;
  int warmups_due = 0;

  /// For a call once they are over: begins again with warm-ups where they have rested.
  void rest_or_begin_again() { warmups = begins_again() ? 0 : warmups; }
};

/// A callable with branches or loops does otherwise in the capture than in a run. Each further try would run the host code once more that
/// makes the difference.
class unlike_runs : public CaptureError {
 public:
  using CaptureError::CaptureError;
};

/// What runs of the callable have shown.
struct seen_in_runs {
  bool is_known = false;                ///< a watched eager run has ended, or a run under another key shows it
  std::vector<outside_tensor> outside;  ///< by the last warm-up or capture
  std::vector<at::Tensor> leaves_of_replaced_gradients;
  bool gradients_move = false;         ///< one that a capture worked on in its place was elsewhere
  bool has_choices = false;            ///< branches and loops of a graph, around which no operators run side by side
  std::atomic<bool> goes_back{false};  ///< by autograd, in a warm-up or a capture: a capture needs the originals
  bool writes_have_history = true;     ///< an `inplace` argument had one after the last warm-up, or there was none
  operator_trace trace;                ///< of the last watched eager run, but for padded calls
  body_paths bodies_run;               ///< by that run
  std::string unsteady;                ///< how it differed from the one before, or empty
  bool is_other_outside = false;       ///< in a tensor from outside
  bool is_other_number = false;        ///< in a number that an operator takes
  /// Of the result, that no tensor has given: by the last watched eager run.
  std::vector<bool> truth_values;
  shown_host_results host_parts;
  uint64_t replacements = 0;          ///< captures that ended because a tensor or module of the object was another one
  const void* replaced_by = nullptr;  ///< that one, at the last of these
  std::string refilled;               ///< a member of the object in which the last run has left another number of tensors, or empty
  bool truth_values_change = false;   ///< from one of those runs to another
  /// Of a step, which leaves had a `.grad` as the last run began.
  std::unordered_map<const c10::TensorImpl*, bool> had_gradients;
  /// Runs that were unsteady where others had one, and captures that ended because of that.
  int changes_of_gradients = 0;
  /// Of the original function, by admission::padded_form().
  std::map<std::vector<int64_t>, std::vector<tensor_layout>> results;

  /// Gives what was known from outside before: it ends when no lock is held, as hooks and deleters of the program's run then.
  /// `sizes`: of the run's padded variables.
  [[nodiscard]] std::vector<outside_tensor> note_warmup(const recording& watched, bool is_padded, const shown_host_results::sizes& sizes);
  /// After note_warmup().
  void note_gradients(std::unordered_map<const c10::TensorImpl*, bool> had);
  /// Of the object of a capture, and of a call that it cannot serve.
  void note_replaced(const tensor_identities& were, const tensor_identities& are);
  /// Throws CaptureError where the runs have given other truth values than the capture, or none.
  void check_truth_values(const recording& of_capture) const;
  /// Throws unlike_runs where a body has left something in a variable: after it, the capture runs other operators than the last run did. So
  /// it does where a body takes another number than in a run.
  void check_bodies(const recording& of_capture, bool is_step) const;
  /// A capture of the key is gone, as what it has frozen has changed: the next one is compared with no run before that.
  void forget_runs_of_bodies();
  /// Why no capture can stand for the runs, where they are unsteady; else empty.
  std::string unsteady_text(bool is_step) const;
};

/// How calls of a key were served.
struct service_record {
  call_times times;
  std::atomic<uint64_t> replays{0};  ///< calls that a graph served
  uint64_t since_capture = 0;        ///< calls after the first one, counted where some are compared
  misses_by_reason misses;
};

/// New keys since the last capture, after which the values of an object or a variable are taken for others in each call.
constexpr uint64_t keys_of_a_change = 16;

/// What a key is made of, for people, and what keeps that from being taken for something else.
struct key_words {
  std::string all;
  named_words scalars;                                 ///< of `key` parameters
  named_words held;                                    ///< by objects and variables
  std::vector<std::shared_ptr<const void>> functions;  ///< copies of theirs: nothing new gets the address of what these have captured
};

/// What calls of one key share.
struct entry {
  key_words words;
  std::vector<Owner> owners;    ///< of the objects among the arguments
  uint64_t number = 0;          ///< in the order of first calls, from 1
  uint64_t last_found = 0;      ///< in the order of calls
  bool is_one_of_many = false;  ///< a new key after many that were never captured: warm-ups begin with its second call
  /// Then, where an object or a variable has a value that is another one in each call: its name, and what a warning says of it.
  std::pair<std::string, std::string> changing;
  capture_tries tries;
  seen_in_runs seen;
  service_record service;
  std::atomic<bool> branches_allowed{true};  ///< false where a capture on branches was unordered, or had too little memory
  std::vector<captured_slot> slots;

  /// Whether there are captures whose sources have changed, which go to `dropped`: they end when no lock is held, since hooks run.
  bool drop_outdated(std::vector<captured_slot>& dropped);
  /// Empty where none can serve such a call. Those that never will go to `dropped`.
  SlotLease free_slot(const tensor_identities& module_tensors, std::vector<captured_slot>& dropped);

 private:
  SlotLease free_slot(bool is_own, const tensor_identities& module_tensors, std::vector<captured_slot>& dropped);
};

/// The first value that is another one in `now` than in `before`: its name, and "'position_ = 8', then 'position_ = 9'". Empty where none
/// is.
std::pair<std::string, std::string> first_change(const named_words& before, const named_words& now);

/// Whether they are of the same objects.
bool are_same(c10::ArrayRef<Owner> owners, c10::ArrayRef<Owner> others);

/// The keys that calls had. Thread safety: none.
class key_table {
 public:
  /// What a new key has put out.
  struct dropped_entries {
    std::shared_ptr<entry>& forgotten;                 ///< where too many have no capture, the one that was not met for the longest
    std::vector<std::shared_ptr<entry>>& of_the_dead;  ///< of arguments' objects that are gone
  };

  /// A new one has no words.
  std::shared_ptr<entry> find(const key_bytes& key, c10::ArrayRef<Owner> owners, dropped_entries dropped) {
    const bool is_last = last_found_.second && key == last_found_.first && are_same(owners, last_found_.second->owners);  // as most are
    return is_last ? last_found_.second : find_other(key, owners, dropped);
  }
  std::vector<std::shared_ptr<entry>> by_number() const;
  /// That was made before this one, of those that are remembered; else null.
  std::shared_ptr<entry> made_before(const entry& key) const;
  uint64_t count_of_forgotten() const { return forgotten_; }
  /// So many were new since the last capture.
  uint64_t made_since_capture() const { return made_since_capture_; }
  void note_capture() { made_since_capture_ = 0; }

 private:
  std::shared_ptr<entry> find_other(const key_bytes& key, c10::ArrayRef<Owner> owners, dropped_entries dropped);
  void drop_the_dead(std::vector<std::shared_ptr<entry>>& dropped);
  /// Null where there are not too many.
  std::shared_ptr<entry> forget_oldest();

  std::unordered_map<std::string, std::shared_ptr<entry>> entries_;
  uint64_t finds_ = 0, made_ = 0, made_since_capture_ = 0, forgotten_ = 0;
  std::pair<key_bytes, std::shared_ptr<entry>> last_found_;
};

}  // namespace graphed::impl
