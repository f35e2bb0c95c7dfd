// SPDX-License-Identifier: Apache-2.0
#include "call/agreement.h"

#include "report/text.h"

#include <graphed/error.h>

#include <algorithm>
#include <mutex>

namespace graphed::impl {
namespace {

bool has(const rank_groups& groups, const std::shared_ptr<rank_group>& group) {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

}  // namespace

void note_groups(admission& call, const recording& seen) {
  for (const auto& group : seen.groups()) {
    note_group(call.engine, group);
  }
}

void note_group(engine_state& engine, const std::shared_ptr<rank_group>& group) {
  const std::lock_guard lock(engine.mutex);
  if (!has(engine.past.groups, group)) {
    engine.past.groups.push_back(group);
  }
}

// "B = 8, which 5 is padded to": of a call whose size, mode or value has no capture, where others of the callable have.
std::string uncaptured_kind(const admission& call) {
  const auto padded = call.sample().padded;
  std::string words;
  for (std::size_t i = 0; call.details->is_padded() && i < padded.size(); ++i) {
    const std::string declared = std::to_string(padded[i].size), given = std::to_string(call.details->sizes[i]);
    words += (words.empty() ? "" : ", ") + std::string(padded[i].name) + " = " + declared +
             (given == declared ? "" : ", which " + given + " is padded to");
  }
  return words.empty() ? call.key->words.all : words;
}

std::string words_of_warm_up(const admission& call) {
  const std::lock_guard lock(call.engine.mutex);
  const capture_tries& tries = call.key->tries;
  if (call.purpose == call_purpose::prepare) {
    return "prepare() warms it up";
  }
  const bool is_one_of_few = tries.warmups <= tries.warmups_due;
  const bool are_others_captured = call.engine.past.has_captured_collectives && call.key->slots.empty();
  return (call.engine.past.is_reset ? "reset() was called: it warms up" : "it warms up") +
         (is_one_of_few ? ", call " + std::to_string(tries.warmups) + " of " + std::to_string(tries.warmups_due) : "") +
         (are_others_captured
              ? "; it is not captured for " + uncaptured_kind(call) + ": call each declared size on all ranks first, or prepare() it"
              : "");
}

std::string original_in_hand::words() const {
  const std::string reason = why();
  return "a call of '" + std::string(call_.engine.spec.name) + "' that runs the original function" +
         (reason.empty() ? "" : " (" + reason + ")");
}

std::string original_in_hand::why() const {
  if (warms_up_) {
    return words_of_warm_up(call_);
  }
  if (call_.missed == Miss::Disabled) {
    return environment::get().disable ? "GRAPHED_DISABLE is set" : "a DisableGuard is alive";
  }
  return call_.missed ? std::string("a miss: ") + to_string(*call_.missed) : "";
}

agreement::agreement(admission& call) : call_(call) {
  const std::lock_guard lock(call.engine.mutex);
  groups_ = call.engine.past.groups;
  has_captures_ = call.engine.past.has_captured_collectives;
}

std::string agreement::callable() const { return "'" + std::string(call_.engine.spec.name) + "'"; }

std::string agreement::vote(ballot on, const std::string& objection) {
  std::string first;
  for (const auto& group : groups_) {
    const std::string theirs = group->vote(on, call_.engine.among_others, objection);
    first = first.empty() ? theirs : first;
  }
  return first;
}

void agreement::object(const std::string& why) { vote(ballot::capture, why); }

void agreement::leave_out(const std::string& why) {
  if (has_captures_) {
    object(why);
  }
}

const char* agreement::remedy() const {
  switch (call_.missed.value_or(Miss::NumReasons)) {
    case Miss::Shape:
    case Miss::Sizes:
    case Miss::ListLength:
      return ": pad the batch (`pad`), or drop the ragged one, on all ranks";
    case Miss::Padding:
      return ": return what has the batch's size as its dimension, or nothing that depends on it, or drop the ragged batch on all ranks";
    case Miss::Slots:
    case Miss::CaptureLimit:
      return "";
    default:
      return ": give all ranks calls that match the capture";
  }
}

void agreement::turn_away(const std::string& why) {
  if (groups_.empty()) {
    return;
  }
  if (!has_captures_) {
    object(why);
    return;
  }
  const std::string message = message_prefix(call_.engine.spec) + why +
                              "; the callable is captured with its collectives, and the other ranks would wait for this one in their "
                              "graphs" +
                              remedy();
  for (const auto& group : groups_) {
    group->note_cause(message);
  }
  throw GuardError(message + see(pages::distributed));
}

std::string agreement::propose() {
  const std::string objection = vote(ballot::capture, {});
  is_due_ = objection.empty() && !groups_.empty();
  return objection;
}

std::string agreement::keep(const std::string& objection) {
  is_due_ = false;
  if (!objection.empty()) {
    for (const auto& group : groups_) {
      group->note_cause(callable() + ": " + objection);
    }
  }
  return vote(ballot::keep, objection);
}

void agreement::watch_captures() {
  for (const auto& group : groups_) {
    group->add(call_.engine.shared_from_this());
  }
}

void agreement::check_known(const recording& seen) const {
  for (const auto& group : seen.groups()) {
    if (!has(groups_, group)) {
      throw CaptureError("it runs a collective that no warm-up has shown, so the ranks have not agreed on the capture: give it a warm-up");
    }
  }
}

}  // namespace graphed::impl
