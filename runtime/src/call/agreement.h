// SPDX-License-Identifier: Apache-2.0
//
// How ranks agree on the calls of a callable that runs collectives: all capture one, or none does; and once it is captured, all replay.
#pragma once

#include "call/admission.h"
#include "watch/rank_group.h"
#include "watch/run_in_hand.h"

#include <string>

namespace graphed::impl {

/// What a run of the callable has shown: its later calls are agreed on.
void note_groups(admission& call, const recording& seen);
void note_group(engine_state& engine, const std::shared_ptr<rank_group>& group);

/// "it warms up, call 1 of 2": for the other ranks.
std::string words_of_warm_up(const admission& call);

/// A call that no graph serves, while the original function runs.
class original_in_hand final : public run_in_hand {
 public:
  /// Keeps a reference.
  original_in_hand(const admission& call, bool warms_up) : call_(call), warms_up_(warms_up) {}
  std::string words() const override;
  std::shared_ptr<const made_callable> callable() const override { return call_.engine.among_others; }
  void note_group(const std::shared_ptr<rank_group>& group) override { impl::note_group(call_.engine, group); }

 private:
  std::string why() const;

  const admission& call_;
  const bool warms_up_;
};

class agreement {
 public:
  /// On a call that is not replayed. Keeps a reference.
  explicit agreement(admission& call);

  /// Whether there is something to agree with.
  explicit operator bool() const { return !groups_.empty(); }
  /// This rank does not capture the call, and the others learn why.
  void object(const std::string& why);
  /// The same of a call that asks for no capture, where there are some: else nothing waits for this rank.
  void leave_out(const std::string& why);
  /// The same of a call that matches no capture. Throws GuardError where there is one: the other ranks' graphs would wait for this rank.
  void turn_away(const std::string& why);
  /// What to do about such a call, which is counted as a miss; empty where the reason says it.
  const char* remedy() const;
  /// This rank would capture it. Returns who does not, and why; empty where all would.
  std::string propose();
  /// This rank's capture is there, or failed for this reason, and another reason of another rank's is returned. Once for each proposal that
  /// all were for.
  std::string keep(const std::string& objection);
  bool is_due() const { return is_due_; }
  /// A capture is kept: the groups can drop it.
  void watch_captures();
  /// Throws CaptureError for collectives of groups that nothing has agreed on.
  void check_known(const recording& seen) const;

 private:
  std::string vote(ballot on, const std::string& objection);
  std::string callable() const;

  admission& call_;
  rank_groups groups_;
  bool has_captures_ = false;
  bool is_due_ = false;  ///< keep() is
};

}  // namespace graphed::impl
