// SPDX-License-Identifier: Apache-2.0
//
// The captures of one callable by their keys.
#pragma once

#include "call/call_times.h"
#include "call/guards.h"
#include "call/members.h"
#include "report/ledger.h"
#include "slot/slot.h"

#include <graphed/impl/engine.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace graphed::impl {

struct captured_slot {
  std::shared_ptr<slot> serving;
  tensor_identities module_tensors;  ///< that it was captured with, and those of its object
};

/// Keys without a capture that are remembered. Each holds what its calls have used from outside, and a name for each operator of them.
constexpr std::size_t uncaptured_keys = 64;

/// Misses of one reason.
struct counted_misses {
  uint64_t calls = 0;
  std::string why;  ///< of the last one, where there is more to say than the reason
};
using misses_by_reason = std::map<Miss, counted_misses>;

/// What calls of one key share.
struct entry {
  std::string words;        ///< what they have in common, for people
  uint64_t number = 0;      ///< in the order of first calls, from 1
  uint64_t last_found = 0;  ///< in the order of calls
  int warmups = 0;
  int warmups_due = 0;
  int failures = 0;
  uint64_t pause = 0, calls_to_wait = 0;     ///< after a failure that may pass
  uint64_t served = 0;                       ///< calls after the first capture
  std::atomic<bool> branches_allowed{true};  ///< false where a capture on branches was unordered, or had too little memory
  std::atomic<bool> goes_back{false};        ///< by autograd, in a warm-up or a capture: a capture needs the originals
  call_times times;
  std::atomic<uint64_t> replays{0};  ///< calls that a graph served
  misses_by_reason misses;
  std::string refusal;  ///< why the last capture failed, or none is tried; empty where there is nothing to say
  std::vector<captured_slot> slots;
  std::vector<outside_tensor> seen_outside;  ///< by the last warm-up or capture
  std::vector<at::Tensor> leaves_of_replaced_gradients;
  operator_trace traced;  ///< of the last plain run that was watched, but for padded calls
  std::string unsteady;   ///< how it differed from the one before, or empty
  /// Of the plain callable, by the sizes of a call's padded variables.
  std::map<std::vector<int64_t>, std::vector<tensor_layout>> results;
};

class engine_state {
 public:
  /// Without a `memory`, captures go into the pool that the description names.
  engine_state(std::shared_ptr<const CallableSpec> description, const torch::nn::Module* module, std::shared_ptr<pool> memory,
               WatchedObject object)
      : description(std::move(description)),
        spec(*this->description),
        memory(std::move(memory)),
        module(module),
        object(std::move(object)),
        counts(std::make_shared<ledger>()) {}

  /// Throws GuardError if a constant has another value than at first.
  void check_constants(const Scalars& scalars);
  /// A `static` argument that has another address than at first.
  std::optional<mismatch> check_addresses(std::size_t sample, const Inputs& inputs);
  /// Forgets the key that was not met for the longest, and says so, where too many have no capture. Of a new one, asks for its words.
  std::shared_ptr<entry> find(const key_bytes& key, c10::function_ref<std::string()> words);
  /// What calls of any key have used from outside.
  std::vector<at::Tensor> seen_outside();
  void reset();
  /// As Engine::explain.
  std::string explain();

  const std::shared_ptr<const CallableSpec> description;
  const CallableSpec& spec;
  const std::shared_ptr<pool> memory;
  const watched_module module;
  const WatchedObject object;
  const std::shared_ptr<ledger> counts;
  std::mutex mutex;  ///< guards what follows, the entries and their fields
  c10::Device result_device{c10::kCPU};
  uint64_t captures_made = 0;
  assigned_members assigned;  ///< of the object
  misses_by_reason misses_without_key;
  std::map<std::string, std::string> last_mismatches;  ///< "x: shape" -> "expected [4, 8], got [3, 8]"

 private:
  std::vector<std::shared_ptr<entry>> entries_by_number() const;
  /// Null where there are not too many.
  std::shared_ptr<entry> forget_oldest();

  std::unordered_map<std::string, std::shared_ptr<entry>> entries_;
  uint64_t finds_ = 0, keys_made_ = 0, keys_forgotten_ = 0;
  std::pair<key_bytes, std::shared_ptr<entry>> last_found_;
  std::vector<Scalars::constant_value> constants_;
  std::map<std::pair<std::size_t, std::size_t>, const void*> addresses_;  ///< by sample and tensor
};

/// One more that is alive in this process.
void register_engine(const std::shared_ptr<engine_state>& made);

}  // namespace graphed::impl
