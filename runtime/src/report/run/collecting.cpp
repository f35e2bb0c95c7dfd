// SPDX-License-Identifier: Apache-2.0
#include "report/run/collecting.h"

#include <cstdlib>

namespace graphed::impl {
namespace {

// The beginning of the report's time, once collecting has begun.
report_clock::time_point& begin_of_time() {
  static report_clock::time_point time = report_clock::now();
  return time;
}

}  // namespace

std::atomic<bool> detail::collects{false};

// What ends with the static storage may refer to what has ended already.
void begin_collecting() {
  begin_of_time();
  call_stack::begin_reading_symbols();
  static const int ends_with_the_process = std::atexit([] { detail::collects.store(false, std::memory_order_relaxed); });
  static_cast<void>(ends_with_the_process);
  detail::collects.store(true, std::memory_order_relaxed);
}

double since_begin(report_clock::time_point time) { return std::chrono::duration<double, std::micro>(time - begin_of_time()).count(); }

void call_log::add(const noted_call& call) {
  const std::lock_guard lock(mutex_);
  if (calls_.size() < most) {
    calls_.push_back(call);
    noted_.store(calls_.size(), std::memory_order_relaxed);
  }
}

std::vector<noted_call> call_log::all() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

void call_log::clear() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
  noted_.store(0, std::memory_order_relaxed);
}

}  // namespace graphed::impl
