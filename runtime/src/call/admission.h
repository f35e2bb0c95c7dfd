// SPDX-License-Identifier: Apache-2.0
//
// One call: what is called, with what and where, and which key and sample its guards have found.
#pragma once

#include "call/carried_members.h"
#include "call/engine_state.h"
#include "call/guards.h"
#include "call/members.h"
#include "slot/call_details.h"
#include "torch/modes.h"

#include <c10/util/FunctionRef.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphed::impl {

enum class call_purpose { call, prepare };

class admission {
 public:
  /// Under call_purpose::prepare stats() does not change, and what does not match throws GuardError. Keeps `engine` and `inputs` by
  /// reference.
  admission(engine_state& engine, const Inputs& inputs, Scalars&& scalars, WatchedObject&& objects,
            call_purpose purpose = call_purpose::call);

  const SampleSpec& sample() const {
    return with_members_ ? with_members_->spec() : sized ? sized->spec() : engine.spec.samples[sample_index];
  }
  /// What captures take: the tensors that are given, then those of carried members.
  const Inputs& arguments() const { return carried ? carried->inputs() : given; }
  /// Of the callable; it holds what sample() refers to.
  std::shared_ptr<const CallableSpec> description() const;
  /// Looks for the key once more, as of a call on `device`.
  std::shared_ptr<entry> entry_on(c10::Device device);
  /// Under the engine's mutex.
  std::optional<mismatch> overlap_with_outside() const;
  std::optional<mismatch> overlap_of_gradients(const std::vector<at::Tensor>& leaves, const std::vector<outside_tensor>& outside) const;

  /// No tensor shows where the callable computes.
  bool guesses_device() const;
  /// What a step closes over must be known before its capture, since it may replace `.grad`; so must a callable's device.
  int warmups_due() const { return engine.spec.warmup == 0 && (engine.spec.step || guesses_device()) ? 1 : engine.spec.warmup; }
  /// Whether anomaly mode has a backward within the callable read on the host.
  bool reads_gradients() const { return looks_for_nan() && (engine.spec.step || key->seen.goes_back); }
  /// What the callable is known to use from outside.
  std::vector<at::Tensor> known_tensors() const;
  /// Of the sample's padded variables, this call's sizes, and those of a capture.
  std::vector<int64_t> padded_sizes() const { return details->is_padded() ? details->sizes : captured_sizes(); }
  std::vector<int64_t> captured_sizes() const;
  /// What the layout of a padded call's results depends on: its sizes, and the strides of arguments with another layout than annotated.
  std::vector<int64_t> padded_form() const;
  /// Runs the callable with what arguments() holds in its place: static inputs or copies.
  tensor_list run(c10::function_ref<tensor_list(tensor_list&)> body, tensor_list& in);
  /// After the callable ran, which `seen` has watched, from members.remember() on: which members of its object it has assigned. Whether it
  /// was not known that captures carry one of them.
  bool note_assigned_members(const recording& seen);
  /// A carried member that a host part of the run has given another tensor, or empty.
  std::string assigned_by_host_part(const recording& seen) const;
  /// Restores what carried members held before the callable ran.
  void put_back_members();
  /// After a warm-up that has shown that captures carry members: arguments() has them from now on, as the next call's has, whose key is
  /// another.
  void learn_members();

  void refuse(const std::vector<mismatch>& found);
  void count_miss(Miss reason, const std::string& parameter = {}, const std::string& why = {});
  /// A miss that no argument is to blame for, explained on `page`: it throws under `strict`.
  void turn_away(Miss reason, const std::string& why, std::string_view page);

  /// For what makes this call another than most.
  call_details& own_details();

  engine_state& engine;
  const call_purpose purpose;
  const Inputs& given;
  const Scalars values;
  const WatchedObject objects;  ///< among the arguments
  object_members members;
  std::optional<carried_members> carried;  ///< of them; empty where no run has replaced a tensor
  const c10::Device device;
  backend* const implementation;              ///< null where nothing captures on the device
  std::size_t sample_index = 0;               ///< of CallableSpec::samples
  std::shared_ptr<const sized_sample> sized;  ///< of an open one
  std::shared_ptr<entry> key;                 ///< null: the original function runs
  tensor_identities module_tensors;
  std::shared_ptr<const call_details> details = call_details::of_most();
  std::optional<Miss> missed;        ///< why the original function runs, but for a warm-up
  std::optional<failed_try> failed;  ///< the capture of this call: the original function runs

 private:
  void admit();
  bool admit_sample();
  void carry_members();
  /// To the sample that serves the call. Gives why a capture cannot take them.
  std::optional<mismatch> add_members();
  placement place() const;
  std::optional<served_sample> serve(const placement& place);
  /// Unlike that of any other sample, sized ones included.
  std::size_t key_of_sample() const { return sized ? sized->index : sample_index; }

  std::shared_ptr<call_details> own_details_;
  std::shared_ptr<const member_sample> with_members_;
};

/// Makes a capture for an admitted call. Empty where there is none: the original function runs. Under call_purpose::prepare it throws
/// CaptureError instead, and is empty where another thread has made the last capture of the key meanwhile.
SlotLease capture(admission& call, c10::function_ref<tensor_list(tensor_list&)> body);

/// Of a tensor or module of the object that ends the capture of one call after the other.
void warn_of_replaced(admission& call, const void* identity);

/// A replay of this slot for the call was taken back because of `why`: its capture is dropped, and counts as one that failed. The original
/// function runs. Throws CaptureError under `strict`.
void drop_changed(admission& call, const slot& changed, const std::string& why);

/// "captured", "warming up, 1 of 3", "refused", ...: for people. Under the engine's mutex.
std::string state_of(const entry& key);
/// "x: f32[64, 784]; causal = true; cuda:0, no grad; eval; scale = 0.5": what the calls of a key have in common, for people. It has the
/// sample, the values of `key` scalars, this thread's modes, which modules train, and numbers and strings of the object. Settings of the
/// context that change which kernels run are not named. Under no lock: it looks at the objects.
key_words words_on(c10::Device device, const admission& call);

}  // namespace graphed::impl
