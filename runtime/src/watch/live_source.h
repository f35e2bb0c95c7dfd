// SPDX-License-Identifier: Apache-2.0
//
// Numbers and tensors that host code inside a callable decides on, as an optimizer's options. Host code runs at a capture alone, so the
// engine asks their owner at each call what became of them.
#pragma once

#include <c10/util/FunctionRef.h>

#include <memory>
#include <string>
#include <vector>

namespace graphed::impl {

/// Values as bytes, to compare them later.
template <class... Values>
void append(std::string& bytes, const Values&... values) {
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
}

/// Calls what it is given, which writes numbers on the device that graphs read, at a time when none of them does.
using number_change = c10::function_ref<void(c10::function_ref<void()>)>;

/// Used by the thread that calls the callable.
class live_source {
 public:
  virtual ~live_source() = default;

  /// What a capture freezes, as bytes: numbers, and which tensors there are.
  virtual std::string frozen() = 0;
  /// The numbers that replays read on the device.
  virtual std::string live() { return {}; }
  /// Writes those that have changed to the device, on the current stream, by `change`.
  virtual void refresh(number_change /*change*/) {}
  /// A capture was dropped, because what it froze has changed.
  virtual void outdated() {}
};

/// The sources that a capture uses.
class live_sources {
 public:
  /// Throws CaptureError if its numbers are not those of the last time.
  void add(const std::shared_ptr<live_source>& source);
  /// Whether what is frozen is as it was then. False when a source is gone.
  bool unchanged() const;
  /// After the callable has run: throws CaptureError if it has changed a number since it used it, which a replay would not do.
  void check_settled() const;
  bool empty() const { return used_.empty(); }
  void refresh(number_change change) const;
  void outdated() const;

 private:
  struct used {
    std::weak_ptr<live_source> source;
    std::string frozen, live;
  };
  std::vector<used> used_;
};

/// While it lives, this thread replays what uses these, which a host part may change in between. Scopes nest.
class replay_of_sources {
 public:
  /// Keeps references.
  replay_of_sources(const live_sources& used, number_change change);
  ~replay_of_sources();
  replay_of_sources& operator=(replay_of_sources&&) = delete;

  /// After a host part: writes the numbers that have changed to the device, for the next piece. Throws Error where a frozen one has.
  static void look_again();

 private:
  const live_sources& used_;
  const number_change change_;
  const replay_of_sources* const outer_;
};

/// Notes in a capture on this thread, where there is one, that what it records depends on `source`.
void use(const std::shared_ptr<live_source>& source);

}  // namespace graphed::impl
