// SPDX-License-Identifier: Apache-2.0
//
// What the calls of one callable share.
#pragma once

#include "call/guards.h"
#include "call/keys.h"
#include "report/ledger.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/run/callable_report.h"
#include "slot/memory_names.h"
#include "watch/rank_group.h"
#include "watch/run_in_hand.h"

#include <graphed/error.h>
#include <graphed/impl/engine.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphed::impl {

/// What calls have left behind since the engine was made or reset.
struct past_calls {
  key_table keys;
  uint64_t captures_made = 0;
  c10::Device result_device{c10::kCPU};
  assigned_members assigned;  ///< of the object
  /// Of a step, where which of them have a `.grad` selects a capture.
  std::vector<at::Tensor> leaves_with_gradients;
  std::vector<Scalars::constant_value> constants;
  std::map<std::pair<std::size_t, std::size_t>, const void*> addresses;  ///< by the sample's index and the tensor's
  sized_samples sized;
  misses_by_reason misses_without_key;
  std::map<std::string, std::string> changes;          ///< of values that were others in call after call, by their names: the first one
  rank_groups groups;                                  ///< whose collectives the callable runs
  bool has_captured_collectives = false;               ///< in a capture that is kept
  bool is_reset = false;                               ///< reset() has dropped such a capture, and none has been made since
  std::map<std::string, std::string> last_mismatches;  ///< "x: shape" -> "expected [4, 8], got [3, 8]"
  memory_names parameters;                             ///< of modules, where a report is collected
};

/// For an engine that is being made.
std::shared_ptr<const made_callable> one_more_callable(const char* name);

class engine_state final : public capture_owner, public std::enable_shared_from_this<engine_state> {
 public:
  /// Without a `memory`, captures go into the pool that the description names.
  engine_state(std::shared_ptr<const CallableSpec> description, const watched_module& module, std::shared_ptr<pool> memory,
               WatchedObject object, bool is_reported = true)
      : description(std::move(description)),
        spec(*this->description),
        memory(std::move(memory)),
        module(module),
        object(std::move(object)),
        is_reported(is_reported),
        counts(std::make_shared<ledger>()),
        among_others(one_more_callable(spec.name)) {}
  ~engine_state() override;

  /// Throws GuardError if a constant has another value than at first.
  void check_constants(const Scalars& scalars);
  /// A `static` argument that has another address than at first.
  std::optional<mismatch> check_addresses(const SampleSpec& sample, std::size_t index, const Inputs& inputs);
  /// The sample of an open one's values, known or new; null where there would be too many.
  std::shared_ptr<const sized_sample> size_sample(std::size_t open_index, const open_values& values);
  /// Why there would be.
  mismatch too_many_sizes(std::size_t open_index, const open_values& values);
  /// As key_table::find; of a new key asks for its words, under no lock. Says so where too many keys have no capture.
  std::shared_ptr<entry> find(const key_bytes& key, c10::ArrayRef<Owner> owners, c10::function_ref<key_words()> words);
  /// Throws Refusal under `strict`; else warns of `what` where that is new, and says what follows. Messages lead to `page`.
  template <class Refusal>
  void object_to(const std::string& what, bool is_new, const char* consequence, std::string_view page) const {
    if (is_strict(spec)) {
      throw Refusal(message_prefix(spec) + what + see(page));
    }
    if (is_new) {
      warn(message_prefix(spec) + what + "; " + consequence + see(page));
    }
  }
  void reset();
  /// Of an entry whose words are new, under the mutex: whether it is one of many.
  void note_new(entry& made);
  void drop_captures() override;
  /// As Engine::explain.
  std::string explain();
  /// What the report says of it. Does not wait long for calls.
  reported_callable report();

  const std::shared_ptr<const CallableSpec> description;
  const CallableSpec& spec;
  const std::shared_ptr<pool> memory;
  const watched_module module;
  const WatchedObject object;
  const bool is_reported;  ///< when it has ended
  const std::shared_ptr<ledger> counts;
  const std::shared_ptr<const made_callable> among_others;
  call_log first_calls;                            ///< where a report is collected
  std::atomic<bool> has_keys_by_gradients{false};  ///< past_calls::leaves_with_gradients are not empty
  quiet_mutex mutex;                               ///< guards what follows, the entries and their fields
  past_calls past;
};

Error moved_from();
/// Throws Error where an engine has been moved from.
engine_state& require_state(const std::shared_ptr<engine_state>& state);

/// One more that is alive in this process.
void register_engine(const std::shared_ptr<engine_state>& made);
/// In the order of their making.
std::vector<std::shared_ptr<engine_state>> living_engines();

}  // namespace graphed::impl
