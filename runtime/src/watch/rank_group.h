// SPDX-License-Identifier: Apache-2.0
//
// A process group, as a capture of its collectives sees it: all ranks capture together, or none does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphed::impl {

struct made_callable;

/// An owner of captures of a group's collectives.
class capture_owner {
 public:
  virtual ~capture_owner() = default;
  /// Those that calls in flight hold stay until these have ended.
  virtual void drop_captures() = 0;
};

/// What ranks vote on.
enum class ballot : uint8_t {
  capture,  ///< whether this call of a callable is captured
  keep,     ///< whether its capture is kept
};

class rank_group {
 public:
  virtual ~rank_group() = default;

  /// Until it is shut down.
  virtual bool is_open() const = 0;
  /// A graph that holds collectives is about to be launched, for a callable of this name. Throws Error where a rank has ended or failed:
  /// its collectives would wait for it forever.
  virtual void begin_launch(const std::string& whose) = 0;
  /// It was, on the current stream.
  virtual void end_launch() = 0;
  /// Says to the other ranks whether this one is for it, and if not, why. Returns why the first of the others that is against it is, with its
  /// rank; empty where all are for it. Throws Error where a rank ends, fails, or does not come in time.
  virtual std::string vote(ballot on, const std::shared_ptr<const made_callable>& callable, const std::string& objection) = 0;
  /// Should this rank fail, the others say that this came before.
  virtual void note_cause(const std::string& what) noexcept = 0;
  /// For as long as the result lives, a capture of `whose` holds the communicator.
  virtual std::shared_ptr<const void> hold(const std::string& whose) = 0;
  /// The owner's captures are dropped at the end of the group.
  virtual void add(const std::shared_ptr<capture_owner>& owner) = 0;
};

using rank_groups = std::vector<std::shared_ptr<rank_group>>;

}  // namespace graphed::impl
