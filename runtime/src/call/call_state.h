// SPDX-License-Identifier: Apache-2.0
//
// One call on its way: admitted by the guards, then served by a slot, or run plainly and watched.
#pragma once

#include "call/engine_state.h"
#include "call/guards.h"
#include "report/range.h"
#include "watch/recorder.h"

#include <graphed/impl/engine.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphed::impl {

class restored_state;

/// Captures of one key that may fail before no more are tried.
constexpr int attempts_of_a_key = 3;
/// Captures of a callable, for each of its samples and slots, before no more are made: so many keys, or replacements of what it closes
/// over. One more for so many replays.
constexpr uint64_t captures_of_a_slot = 64;
constexpr uint64_t replays_of_a_capture = 32;
/// Calls between two captures that fail for a reason which may pass, at most: none the first time, then one, then twice as many each time.
constexpr uint64_t longest_pause = 1024;

enum class call_purpose { call, prepare };

struct Call::state {
  /// Under call_purpose::prepare nothing is counted, and what does not fit throws GuardError.
  state(engine_state& engine, const Inputs& inputs, Scalars&& scalars, call_purpose purpose = call_purpose::call);

  // admission.cpp
  void admit();
  std::shared_ptr<entry> entry_on(c10::Device device);
  bool admit_sample();
  void refuse(const std::vector<mismatch>& found);
  void count_miss(Miss reason, const std::string& parameter = {}, const std::string& why = {});
  /// A miss that no argument is to blame for, explained on `page`: it throws under `strict`.
  void turn_away(Miss reason, const std::string& why, std::string_view page);
  /// What these and those below find is under the engine's mutex.
  std::optional<mismatch> overlap_with_outside() const;
  std::optional<mismatch> overlap_of_gradients(const std::vector<at::Tensor>& leaves, const std::vector<outside_tensor>& outside) const;

  // call.cpp
  void drop_outdated();
  /// No tensor tells where the callable computes.
  bool guesses_device() const;
  int warmups_due() const;
  bool needs_warmup();
  /// Those that a warm-up of a step has made on its stream.
  void hand_over_gradients();
  void learn_device(const tensor_list& results);
  SlotLease free_slot();
  void verify_if_due(c10::function_ref<tensor_list(tensor_list&)> body);

  /// Where calls of this kind are still to be timed, and this one does what most do.
  void begin_timing(timed_kind kind);
  void end_timing();
  void warn_if_slower();

  // What the callable itself assigns to its object's members, no key can hold, and no replay does it.
  /// Before the callable runs.
  void remember_members();
  /// After it ran.
  void note_assigned_members();
  void warn_of_assigned_members();

  // call_capture.cpp
  SlotLease capture(c10::function_ref<tensor_list(tensor_list&)> body);
  bool may_capture();
  uint64_t capture_limit() const;
  bool needs_originals() const;
  std::shared_ptr<slot> try_capture(c10::function_ref<tensor_list(tensor_list&)> body, std::shared_ptr<recording>& watched);
  void note_warmup(const recording& watched);
  void note_trace(const recording& watched);
  std::string unsteady_text() const;
  std::string no_more_tries() const;
  void warn_of_frozen_update(const recording& watched);
  void check_stable(const recording& watched, const unseen_tensors& unseen);
  enum class cause { lasting, passing };
  void fail(const recording* watched, const std::string& what, cause cause = cause::lasting);
  /// Whether a capture has failed for a reason that may pass, not long ago. Counts the call.
  bool pauses();
  void refuse_unstable();
  std::vector<at::Tensor> known_tensors();

  // explain.cpp
  /// "x: f32[64, 784]; causal = true; cuda:0, no grad; eval; scale = 0.5": what the calls of this key have in common, for people: the
  /// sample, the values of `key` scalars, this thread's modes, which modules train, and numbers and strings of the object. Settings of the
  /// context that change which kernels run are not named. Under the engine's mutex.
  std::string words_on(c10::Device device) const;

  // prepare.cpp
  std::shared_ptr<slot> prepare(c10::function_ref<tensor_list(tensor_list&)> body);
  void run_tracelessly(c10::function_ref<tensor_list(tensor_list&)> body, restored_state& before);

  const SampleSpec& sample() const { return engine.spec.samples[served.index]; }
  /// For what makes this call another than most.
  call_details& own_details();

  engine_state& engine;
  const call_purpose purpose;
  const Inputs& arguments;
  const Scalars values;
  std::optional<WatchedMembers> members;  ///< where an object is watched
  std::optional<members_before> remembered;
  const c10::Device device;
  std::shared_ptr<const call_details> details = call_details::of_most();
  backend* implementation = nullptr;
  served_sample served;
  std::shared_ptr<entry> captures;  // null: the plain callable runs
  tensor_identities module_tensors;
  std::vector<captured_slot> dropped;  ///< they end when no lock is held: hooks are told
  bool warmup = false;
  std::optional<ForwardGraph> serving;
  std::optional<std::pair<timed_kind, timing>> timed;

  const range profiled;
  std::unique_ptr<stream_scope> stream;
  std::unique_ptr<recording> seen;
  std::optional<recording_scope> watching;

 private:
  std::shared_ptr<call_details> own_details_;
};

}  // namespace graphed::impl
