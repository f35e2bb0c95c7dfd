// SPDX-License-Identifier: Apache-2.0
#include "capture/state_claim.h"

#include "backend/capture_lock.h"
#include "report/thread_number.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace graphed::impl {
namespace {

class claimed_tensors {
 public:
  static claimed_tensors& of_process() {
    static auto& made = *new claimed_tensors;
    return made;
  }

  bool claim(const std::vector<const c10::TensorImpl*>& tensors) {
    std::unique_lock lock(mutex_);
    const auto is_free = [&](const c10::TensorImpl* tensor) {
      const auto found = held_.find(tensor);
      return found == held_.end() || found->second.thread == thread_number();
    };
    if (!released_.wait_for(lock, longest_wait, [&] { return std::all_of(tensors.begin(), tensors.end(), is_free); })) {
      return false;
    }
    for (const auto* tensor : tensors) {
      holder& now = held_[tensor];
      now.thread = thread_number();
      ++now.times;
    }
    return true;
  }

  void release(const std::vector<const c10::TensorImpl*>& tensors) {
    const std::lock_guard lock(mutex_);
    for (const auto* tensor : tensors) {
      const auto found = held_.find(tensor);
      if (--found->second.times == 0) {
        held_.erase(found);
      }
    }
    released_.notify_all();
  }

 private:
  struct holder {
    uint64_t thread = no_thread;
    std::size_t times = 0;
  };
  std::mutex mutex_;
  std::condition_variable released_;
  std::unordered_map<const c10::TensorImpl*, holder> held_;
};

}  // namespace

state_claim::state_claim(std::vector<const c10::TensorImpl*> tensors)
    : tensors_(std::move(tensors)), is_held_(claimed_tensors::of_process().claim(tensors_)) {}

state_claim::~state_claim() {
  if (is_held_) {
    claimed_tensors::of_process().release(tensors_);
  }
}

}  // namespace graphed::impl
