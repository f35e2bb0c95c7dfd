// SPDX-License-Identifier: Apache-2.0
#include "distributed/monitor.h"

#include "report/pages.h"
#include "report/text.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace graphed::impl {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int beats_of_a_silence = 10;
/// Without a sign of life a rank counts as ended. The device gets as long for its last collective once a rank is missing.
constexpr milliseconds longest_silence{10000};

}  // namespace

void last_collective::note() {
  if (device_.is_cpu()) {
    return;
  }
  const c10::impl::VirtualGuardImpl devices(device_.type());
  const std::lock_guard lock(mutex_);
  if (!event_) {
    event_.emplace(device_.type());
  }
  event_->record(devices.getStream(device_));
  ++number_;
}

uint64_t last_collective::unfinished() {
  const std::lock_guard lock(mutex_);
  return event_ && !event_->query() ? number_ : 0;
}

/// What the thread knows.
class monitor::watch {
 public:
  watch(std::shared_ptr<board> ranks, std::shared_ptr<last_collective> last)
      : silence(std::min(longest_silence, ranks->timeout / 2)),
        ranks_(std::move(ranks)),
        last_(std::move(last)),
        store_(ranks_->second_connection()),
        watched_((ranks_->rank + 1) % ranks_->size) {
    ranks_->tell_life(*store_);
  }

  const milliseconds silence;

  void look() {
    try {
      ranks_->tell_life(*store_);
      if (ranks_->failure().empty()) {
        look_for_failure();
        look_at_neighbour();
      }
    } catch (const c10::Error& error) {
      ranks_->fail(no_store(error));
    }
    look_at_device();
  }

 private:
  void look_for_failure() {
    if (store_->check({board::key_of_failure()})) {
      ranks_->fail(store_->get_to_str(board::key_of_failure()));
    }
  }

  void look_at_neighbour() {
    if (watched_ == ranks_->rank) {
      return;
    }
    if (ranks_->has_left(watched_, *store_)) {
      missing_ = "rank " + std::to_string(watched_) + " has left the group";
      watched_ = (watched_ + 1) % ranks_->size;
      heard_ = clock::now();
      return;
    }
    const std::string key = board::key_of_life(watched_);
    const std::string beat = store_->check({key}) ? store_->get_to_str(key) : "";
    const standing theirs = board::standing_in(beat);
    if (beat != last_beat_) {
      last_beat_ = beat;
      heard_ = clock::now();
      check_order(theirs);
    } else if (clock::now() - heard_ > silence) {
      ranks_->fail_all("rank " + std::to_string(watched_) + " has ended, or has given no sign of life for " +
                           human_time(1e3 * static_cast<double>(silence.count())) + theirs.begun + board::cause_of(*store_, watched_),
                       *store_);
    }
  }

  // Their host waits for this rank's, whose device waits for theirs.
  void check_order(const standing& theirs) {
    if (ranks_->is_ahead_of(theirs)) {
      const std::string own = std::to_string(ranks_->rank), other = std::to_string(watched_);
      ranks_->fail_all("rank " + other + " waits in " + theirs.waits_in + ", and rank " + own + " has gone on to collectives that rank " +
                           other + " has not come to" + ranks_->begun() + ": all ranks must call the same in the same order",
                       *store_);
    }
  }

  // A collective on the device that has not ended when a rank is missing never will.
  void look_at_device() {
    uint64_t unfinished = 0;
    try {
      unfinished = !missing_.empty() || !ranks_->failure().empty() ? last_->unfinished() : 0;
    } catch (const c10::Error&) {  // of the device: its next user gets it
    }
    if (unfinished != stuck_on_) {
      stuck_on_ = unfinished;
      stuck_since_ = clock::now();
    } else if (stuck_on_ != 0 && clock::now() - stuck_since_ > silence) {
      end_process();
    }
  }

  [[noreturn]] void end_process() {
    const std::string failure = ranks_->failure(), &why = failure.empty() ? missing_ : failure;
    std::cerr << "graphed: ProcessGroup: rank " << ranks_->rank << " is ended, as its device waits in vain for another rank: " << why
              << see(pages::distributed) << std::endl;
    std::_Exit(EXIT_FAILURE);
  }

  const std::shared_ptr<board> ranks_;
  const std::shared_ptr<last_collective> last_;
  const c10::intrusive_ptr<c10d::Store> store_;
  int watched_;
  std::string missing_;  ///< who has left
  std::string last_beat_;
  clock::time_point heard_ = clock::now();
  uint64_t stuck_on_ = 0;
  clock::time_point stuck_since_;
};

monitor::monitor(std::shared_ptr<board> ranks, std::shared_ptr<last_collective> last)
    : board_(std::move(ranks)), thread_([this, first = std::make_shared<watch>(board_, std::move(last))] { run(*first); }) {}

void monitor::run(watch& watch) {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, watch.silence / beats_of_a_silence, [this] { return ends_; })) {
    lock.unlock();
    watch.look();
    lock.lock();
  }
}

monitor::~monitor() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

}  // namespace graphed::impl
