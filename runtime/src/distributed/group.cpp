// SPDX-License-Identifier: Apache-2.0
#include "distributed/group.h"

#include "report/pages.h"
#include "watch/recorder.h"

#include <graphed/error.h>

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <utility>

namespace graphed::impl {
namespace {

struct known_groups {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<group>, std::less<>> by_name;
  uint64_t made = 0;
};

// Graphs may ask until the process has ended.
known_groups& known() {
  static auto& groups = *new known_groups;
  return groups;
}

constexpr const char* prefix = "graphed: ProcessGroup: ";

}  // namespace

std::shared_ptr<group> group::make(c10::intrusive_ptr<c10d::Backend> backend, std::shared_ptr<impl::board> ranks, c10::Device device) {
  const std::lock_guard lock(known().mutex);
  std::string name = "group " + std::to_string(++known().made);
  std::shared_ptr<group> made(new group(name, std::move(backend), std::move(ranks), device));
  known().by_name.emplace(std::move(name), made);
  return made;
}

std::shared_ptr<group> group::named(std::string_view name) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().by_name.find(name);
  auto live = found == known().by_name.end() ? nullptr : found->second.lock();
  if (!live) {
    throw Error(prefix + ("a collective of " + std::string(name) + ", which is no more") + see(pages::distributed));
  }
  return live;
}

group::group(std::string name, c10::intrusive_ptr<c10d::Backend> backend, std::shared_ptr<impl::board> ranks, c10::Device device)
    : name(std::move(name)), device(device), rank(ranks->rank), size(ranks->size), board_(std::move(ranks)), backend_(std::move(backend)) {}

group::~group() {
  const std::lock_guard lock(known().mutex);
  known().by_name.erase(name);
}

board& group::board() const {
  if (!board_) {
    throw Error(prefix + std::string("it was shut down") + see(pages::distributed));
  }
  return *board_;
}

void group::check() { board().check(); }

c10d::Backend& group::begin_collective() {
  check();
  if (recording* const seen = active_recording()) {
    seen->note_group(shared_from_this());
  }
  return *backend_;
}

bool group::compare_once(const std::string& what, const std::string& signature) {
  if (!compared_.insert(what + signature).second) {
    return false;
  }
  const auto all = board().meet("a comparison of " + what, bytes(signature.begin(), signature.end()));
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (all[other] != all[0]) {
      const std::string why = what + " of rank " + std::to_string(other) +
                              " are not those of rank 0: " + std::string(all[other].begin(), all[other].end()) + "; and " +
                              std::string(all[0].begin(), all[0].end());
      throw Error(prefix + why + see(pages::distributed));
    }
  }
  return true;
}

// Where another rank is still in a collective of its try, that throws there, and the rank comes to the next vote.
std::string group::vote(const std::string& what, const std::string& objection) {
  while (true) {
    try {
      const auto votes = board().meet("a vote on the " + what, bytes(objection.begin(), objection.end()));
      for (std::size_t other = 0; other < votes.size(); ++other) {
        if (!votes[other].empty()) {
          return "rank " + std::to_string(other) + ": " + std::string(votes[other].begin(), votes[other].end());
        }
      }
      return {};
    } catch (const out_of_step&) {
      if (objection.empty()) {
        throw;
      }
    }
  }
}

void group::note_cause(const std::string& what) noexcept {
  if (board_) {
    board_->note_cause(what);
  }
}

std::shared_ptr<const void> group::hold(const std::string& whose) {
  auto* const made = new std::string(whose);
  const std::lock_guard lock(mutex_);
  holders_.emplace(made, whose);
  return {made, [self = shared_from_this()](const std::string* ended) {
            {
              const std::lock_guard lock(self->mutex_);
              self->holders_.erase(ended);
            }
            delete ended;
          }};
}

std::string group::holder() {
  const std::lock_guard lock(mutex_);
  return holders_.empty() ? "" : holders_.begin()->second;
}

void group::add(const std::shared_ptr<capture_owner>& owner) {
  const std::lock_guard lock(mutex_);
  const auto is_there = [&](const std::weak_ptr<capture_owner>& each) { return each.lock() == owner; };
  if (std::none_of(owners_.begin(), owners_.end(), is_there)) {
    owners_.push_back(owner);
  }
}

void group::shutdown() {
  if (!board_) {
    return;
  }
  std::unique_lock lock(mutex_);
  const auto owners = owners_;
  lock.unlock();
  for (const auto& each : owners) {
    if (const auto owner = each.lock()) {
      owner->drop_captures();
    }
  }
  if (const std::string held = holder(); !held.empty()) {
    throw Error(prefix + ("a capture of '" + held + "' is still held, by a call that awaits its backward, or by an ExecutableGraph") +
                see(pages::distributed));
  }
  if (!device.is_cpu()) {
    c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
  }
  backend_->shutdown();
  backend_.reset();
  board_->leave();
  board_.reset();
}

void group::end(bool is_failing) noexcept {
  if (!board_) {
    return;
  }
  try {
    if (is_failing) {
      board_->fail_all("rank " + std::to_string(rank) + " has failed, by an exception");
    }
    shutdown();
  } catch (const std::exception& error) {
    // A communicator that a graph holds would never end: it stays.
    static_cast<void>(backend_.release());
  }
}

}  // namespace graphed::impl
