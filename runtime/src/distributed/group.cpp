// SPDX-License-Identifier: Apache-2.0
#include "distributed/group.h"

#include "distributed/last_words.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/text.h"
#include "watch/recorder.h"
#include "watch/run_in_hand.h"

#include <graphed/error.h>

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <thread>
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

// Of another rank: a cause rather than a consequence.
std::string first_objection(const std::vector<bytes>& votes, int own, char consequence) {
  std::string found;
  for (std::size_t rank = 0; rank < votes.size(); ++rank) {
    const bytes& vote = votes[rank];
    if (static_cast<int>(rank) == own || vote.empty()) {
      continue;
    }
    if (vote[0] != static_cast<uint8_t>(consequence)) {
      return "rank " + std::to_string(rank) + ": " + text_of(vote);
    }
    found = "rank " + std::to_string(rank) + ": " + std::string(vote.begin() + 1, vote.end());
  }
  return found;
}

constexpr const char* of_group = "graphed: ProcessGroup: ";
constexpr std::chrono::seconds longest_shutdown{10};

// Returns why the backend is not shut down. Where it takes too long, a thread goes on with it until the process ends.
std::string shut_down(c10::intrusive_ptr<c10d::Backend> backend, c10::Device device) {
  std::promise<std::string> ended;
  auto result = ended.get_future();
  std::thread([backend = std::move(backend), device, ended = std::move(ended)]() mutable {
    std::string why;
    try {
      c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
      backend->shutdown();
      backend.reset();
    } catch (const std::exception& error) {
      static_cast<void>(backend.release());
      why = message_of(error);
    }
    ended.set_value(why);
  }).detach();
  const bool is_over = result.wait_for(longest_shutdown) == std::future_status::ready;
  return is_over ? result.get() : "the part of the other ranks has not come in " + std::to_string(longest_shutdown.count()) + " seconds";
}

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
    throw Error(of_group + ("a collective of " + std::string(name) + ", which is no more") + see(pages::distributed));
  }
  return live;
}

std::vector<std::shared_ptr<group>> group::living() {
  std::vector<std::shared_ptr<group>> found;
  const std::lock_guard lock(known().mutex);
  for (const auto& [name, each] : known().by_name) {
    if (auto live = each.lock()) {
      found.push_back(std::move(live));
    }
  }
  return found;
}

group::group(std::string name, c10::intrusive_ptr<c10d::Backend> backend, std::shared_ptr<impl::board> ranks, c10::Device device)
    : name(std::move(name)),
      device(device),
      rank(ranks->rank),
      size(ranks->size),
      board_(std::move(ranks)),
      backend_(std::move(backend)),
      last_(std::make_shared<last_collective>(device)) {
  if (size > 1) {
    monitor_ = std::make_unique<monitor>(board_, last_);
    tell_ranks_of_uncaught_exceptions();
  }
}

group::~group() {
  const std::lock_guard lock(known().mutex);
  known().by_name.erase(name);
}

board& group::board() const {
  if (!board_) {
    throw Error(of_group + std::string("it was shut down") + see(pages::distributed));
  }
  return *board_;
}

c10d::Backend* group::begin_collective() {
  board().check();
  const auto seen = active_recording();
  if (seen != nullptr) {
    seen->note_group(shared_from_this());
  } else if (run_in_hand* const run = run_in_hand::current()) {
    run->note_group(shared_from_this());
  }
  if (seen != nullptr && seen->leaves_out_collectives()) {
    return nullptr;
  }
  if (!inside_capture()) {
    begin_callable();
    note_collective();
  }
  return backend_.get();
}

void group::end_collective() {
  if (!inside_capture()) {
    last_->note();
  }
}

// A replay has noted it already.
void group::begin_callable() {
  const run_in_hand* const run = run_in_hand::current();
  if (const auto callable = run == nullptr ? nullptr : run->callable()) {
    board().begin(callable->name);
  }
}

// Those of one run of a callable count once, as those of its replay do.
void group::note_collective() {
  const run_in_hand* const run = run_in_hand::current();
  if (run == nullptr || std::exchange(counted_run_, run->number()) != run->number()) {
    note_launch();
  }
}

// On a CPU a collective is a meeting.
void group::note_launch() {
  if (!device.is_cpu()) {
    board_->note_launch();
  }
}

void group::begin_launch(const std::string& whose) {
  board().check();
  board_->begin(whose);
  note_launch();
}

void group::end_launch() { last_->note(); }

bool group::compare_once(const std::string& what, const std::string& form, c10::function_ref<std::string()> signature) {
  const auto seen = active_recording();
  const bool has_ranks = seen == nullptr || !seen->leaves_out_collectives();
  const errand at = errand::in_hand("a comparison of " + what);
  const std::string whose = at.callable ? std::to_string(at.callable->number) + ' ' : "";
  if (!has_ranks || !compared_.insert(whose + what + form).second) {
    return false;
  }
  begin_callable();
  const std::string own = signature();
  const auto all = board().meet(at, bytes_of(own));
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (all[other] != all[0]) {
      const std::string why =
          what + " of rank " + std::to_string(other) + " are not those of rank 0: " + text_of(all[other]) + "; and " + text_of(all[0]);
      throw Error(of_group + why + see(pages::distributed));
    }
  }
  return true;
}

// Where another rank is still in a collective of its capture, that throws there, and the rank comes to the next vote.
std::string group::vote(ballot on, const std::shared_ptr<const made_callable>& callable, const std::string& objection) {
  constexpr char consequence = '\x1';  // of what another rank has done: begins such an objection
  board().begin(callable->name);
  std::string own = objection;
  errand at{"a call of '" + callable->name + "' that is not replayed",
            " (" + (objection.empty() ? "it is about to be captured" : objection) + ")", callable};
  if (on == ballot::capture) {
    board().was_out_of_step = false;
  } else {
    at = {"the end of a capture of '" + callable->name + "'", {}, callable};
    own = board().was_out_of_step ? consequence + own : own;
  }
  while (true) {
    try {
      return first_objection(board().meet(at, bytes_of(own)), rank, consequence);
    } catch (const out_of_step&) {
      if (on == ballot::capture || objection.empty()) {
        throw;
      }
    }
  }
}

void group::note_cause(const std::string& what) noexcept {
  if (board_ && !board_->is_forked()) {
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

// An owner that another thread is about to drop must not end here: its end takes the lock.
void group::add(const std::shared_ptr<capture_owner>& owner) {
  const std::lock_guard lock(mutex_);
  const auto is_there = [&](const std::weak_ptr<capture_owner>& each) { return !each.owner_before(owner) && !owner.owner_before(each); };
  if (std::none_of(owners_.begin(), owners_.end(), is_there)) {
    owners_.push_back(owner);
  }
}

void group::shutdown() {
  if (!board_) {
    return;
  }
  if (board_->is_forked()) {
    board_->check();
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
    throw Error(of_group + ("a capture of '" + held + "' is still held, by a call that awaits its backward, or by an ExecutableGraph") +
                see(pages::distributed));
  }
  if (!device.is_cpu()) {
    c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
  }
  leave();
}

// NCCL destroys a communicator where all ranks do, and waits forever for one that does not.
void group::leave() {
  const bool is_on_host = device.is_cpu();
  is_open_ = false;
  if (is_on_host) {
    backend_->shutdown();
    backend_.reset();
  }
  bool is_with_all = false;
  try {
    is_with_all = board_->leave(/*together=*/!is_on_host);
  } catch (const c10::Error&) {  // the rank that kept the store has gone
  }
  std::string why;
  if (is_with_all) {
    why = shut_down(std::move(backend_), device);
  } else if (!is_on_host) {
    static_cast<void>(backend_.release());
    why = "not all ranks have left it at the same time";
  }
  monitor_.reset();
  board_.reset();
  if (!why.empty()) {
    warn(of_group +
         ("the communicator of rank " + std::to_string(rank) + " stays until the process ends: " + why + see(pages::distributed)));
  }
}

// Threads and connections are the parent's: to end them here would end them there, or wait forever.
void group::leave_to_parent() noexcept {
  is_open_ = false;
  static_cast<void>(backend_.release());
  static_cast<void>(monitor_.release());
  static_cast<void>(new std::shared_ptr<impl::board>(std::move(board_)));
}

// The first cause counts. One that this rank has noted before is not reported twice.
void group::fail_by(const char* what, const std::string& why) noexcept {
  const auto ranks = board_;
  if (!ranks || ranks->is_forked() || !ranks->failure().empty()) {
    return;
  }
  try {
    const auto store = ranks->second_connection();
    const std::string cause = board::cause_of(*store, rank);
    const bool is_news = why.empty() || cause.empty() || why.find(cause.substr(cause.find(": ") + 2)) == std::string::npos;
    ranks->fail_all(
        "rank " + std::to_string(rank) + " " + what + ranks->begun() + (why.empty() ? "" : ": " + cut_short(why)) + (is_news ? cause : ""),
        *store);
  } catch (const std::exception&) {  // the process that keeps the store has ended
  }
}

void group::end_uncaught(const std::string& why) noexcept {
  const auto ranks = board_;
  if (is_open_ && ranks && !ranks->is_forked()) {
    fail_by("has ended by an exception that nothing caught", why);
    ranks->wait_for_others_to_learn();
  }
}

// A device that waits for another rank would never come to an end, nor would a communicator that a graph holds. They stay as they are, and
// the monitor goes on. On a CPU they end with the last graph.
void group::end(bool is_failing) noexcept {
  if (!board_) {
    return;
  }
  if (board_->is_forked()) {
    leave_to_parent();
    return;
  }
  std::string why;
  try {
    if (is_failing) {
      fail_by("has failed by an exception", {});
    }
    if (!is_failing || device.is_cpu()) {
      shutdown();
      return;
    }
  } catch (const std::exception& error) {
    why = error.what();
  }
  is_open_ = false;
  if (!device.is_cpu()) {
    static_cast<void>(backend_.release());
    static_cast<void>(monitor_.release());
  }
  if (!is_failing) {
    try {
      warn("graphed: ProcessGroup: it stays until the process ends: " + why);
    } catch (...) {  // a warning handler of the user's that throws
    }
  }
}

}  // namespace graphed::impl
