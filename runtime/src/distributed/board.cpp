// SPDX-License-Identifier: Apache-2.0
#include "distributed/board.h"

#include "report/pages.h"
#include "report/text.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

namespace graphed::impl {
namespace {

using clock = std::chrono::steady_clock;

// The host asks the store again and again, as a wait that ends without a result is a warning of c10d's.
constexpr std::chrono::microseconds shortest_pause{20}, longest_pause_of_host{5000};
/// Of a failure, by the other ranks' monitors.
constexpr std::chrono::milliseconds time_to_learn{2500};
/// How long ranks wait for one another at the end.
constexpr std::chrono::milliseconds longest_farewell{10000}, pause_at_end{5};
constexpr std::size_t longest_value = std::size_t{4} << 20;  // a TCPStore takes 8 MiB
constexpr char separator = '\n';

std::size_t parts_of(const bytes& all) { return std::max<std::size_t>(1, (all.size() + longest_value - 1) / longest_value); }

std::atomic<uint64_t> forks{0};

// Another one in each child of a process that has asked.
uint64_t generation() {
  static const int is_counted = ::pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  TORCH_CHECK(is_counted == 0, "graphed: ProcessGroup: no memory to notice a fork");
  return forks;
}

std::atomic<bool> is_exiting{false};

// Static destructors may take long, and threads go on meanwhile.
void notice_exit() {
  static const int is_noticed = std::atexit([] { is_exiting = true; });
  static_cast<void>(is_noticed);
}

// What a rank comes for, the number of parts, and the first of them.
struct opening {
  errand at;
  claim callable;
  std::size_t parts;
  bytes first;
};

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), separator, ' ');
  return text;
}

bytes begin_of(const errand& at, const claim& callable, std::size_t parts) {
  return bytes_of(in_one_line(at.what) + separator + in_one_line(at.place) + separator + callable.text() + separator +
                  std::to_string(parts) + separator);
}

opening opening_of(const bytes& value) {
  auto rest = value.begin();
  const auto line = [&] {
    const auto begin = rest, end = std::find(begin, value.end(), separator);
    rest = end + 1;
    return std::string(begin, end);
  };
  errand at{line(), line()};
  claim callable = claim::of(line());
  const std::size_t parts = std::stoul(line());
  return {std::move(at), std::move(callable), parts, {rest, value.end()}};
}

/// A rank is in a meeting.
class waiting_scope {
 public:
  waiting_scope(std::mutex& mutex, std::string& where, const std::string& what) : mutex_(mutex), where_(where) { set(what); }
  ~waiting_scope() { set(""); }
  waiting_scope& operator=(waiting_scope&&) = delete;

 private:
  void set(const std::string& what) {
    const std::lock_guard lock(mutex_);
    where_ = what;
  }
  std::mutex& mutex_;
  std::string& where_;
};

}  // namespace

std::string standing::text() const {
  return std::to_string(meetings) + separator + std::to_string(launches) + separator + in_one_line(waits_in) + separator + begun;
}

standing standing::of(const std::string& text) {
  std::istringstream lines(text);
  std::array<std::string, 4> found;
  for (auto& line : found) {
    std::getline(lines, line, separator);
  }
  return {std::stoull(found[0]), std::stoull(found[1]), found[2], found[3]};
}

std::string cut_short(const std::string& text) {
  constexpr std::size_t longest = 1000;
  if (text.size() <= longest) {
    return text;
  }
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {  // in the middle of a character
    --end;
  }
  return text.substr(0, end) + "...";
}

std::string no_store(const c10::Error& error) {
  return "the store that the ranks share does not answer, perhaps because the process that keeps it has ended: " + message_of(error);
}

board::board(c10::intrusive_ptr<c10d::Store> store, int rank, int size, std::chrono::milliseconds timeout, bool keeps_store)
    : rank(rank), size(size), timeout(timeout), store_(std::move(store)), keeps_store_(keeps_store), generation_(generation()) {
  notice_exit();
}

std::string board::key_of(int of, std::size_t part) const {
  return std::to_string(meetings_) + "/" + std::to_string(of) + "/" + std::to_string(part);
}

// Each rank that has come to this meeting has read all of the one before.
void board::post(const errand& at, const bytes& own) {
  std::swap(posted_before_, posted_);
  posted_.clear();
  const std::size_t parts = parts_of(own);
  for (std::size_t part = 0; part < parts; ++part) {
    const auto begin = own.begin() + static_cast<std::ptrdiff_t>(part * longest_value);
    const auto end = part + 1 == parts ? own.end() : begin + static_cast<std::ptrdiff_t>(longest_value);
    bytes value = part == 0 ? begin_of(at, callables_.of(at.callable.get()), parts) : bytes();
    value.insert(value.end(), begin, end);
    posted_.push_back(key_of(rank, part));
    store_->set(posted_.back(), value);
  }
}

std::vector<bytes> board::meet(const errand& at, const bytes& own, std::chrono::milliseconds limit) {
  check(&at);
  try {
    return meet_all(at, own, limit);
  } catch (const c10::Error& error) {
    fail(no_store(error));
    check(&at);
    throw;
  }
}

std::vector<bytes> board::meet_all(const errand& at, const bytes& own, std::chrono::milliseconds limit) {
  std::optional<waiting_scope> waits(std::in_place, mutex_, waits_in_, at.words());
  post(at, own);
  std::vector<bytes> brought;
  std::vector<std::size_t> parts;
  std::vector<claim> claims;
  std::vector<std::string> words;
  std::string other;
  for (int of = 0; of < size; ++of) {
    opening said = of == rank ? opening{at, callables_.of(at.callable.get()), 1, own} : opening_of(wait_for(of, 0, at, limit));
    if (said.at.what != in_one_line(at.what) && other.empty()) {
      other = "rank " + std::to_string(of) + " is at " + said.at.words() + ", and rank " + std::to_string(rank) + " at " + at.words();
    }
    words.push_back(said.at.what + said.at.place + said.callable.words());
    claims.push_back(std::move(said.callable));
    brought.push_back(std::move(said.first));
    parts.push_back(said.parts);
  }
  for (int of = 0; of < size && other.empty(); ++of) {
    bytes& all = brought[static_cast<std::size_t>(of)];
    for (std::size_t part = 1; part < parts[static_cast<std::size_t>(of)]; ++part) {
      const bytes more = wait_for(of, part, at, limit);
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  for (const auto& key : posted_before_) {
    store_->deleteKey(key);
  }
  posted_before_.clear();
  waits.reset();  // a rank that sees it wait sees the number of this meeting
  ++meetings_;
  if (!other.empty()) {
    was_out_of_step = true;
    throw out_of_step("graphed: ProcessGroup: " + other + ": all ranks must call the same in the same order" + see(pages::distributed));
  }
  check_callables(at, claims, words);
  return brought;
}

// Each rank sees the same, so that all throw or none.
void board::check_callables(const errand& at, const std::vector<claim>& claims, const std::vector<std::string>& words) {
  const auto other = callables_.meet(at.callable.get(), claims);
  if (!other) {
    return;
  }
  const bool is_first = claims.front().name == claims[*other].name && claims[*other].agreed == 0 && claims.front().agreed == 0;
  throw Error("graphed: ProcessGroup: rank " + std::to_string(*other) + " is at " + words[*other] + ", and rank 0 at " + words.front() +
              ": all ranks must call the same in the same order" + (is_first ? ", and make callables of one name in the same order" : "") +
              see(pages::distributed));
}

bytes board::wait_for(int of, std::size_t part, const errand& at, std::chrono::milliseconds limit) {
  const std::string key = key_of(of, part);
  const auto end = clock::now() + limit;
  auto pause = shortest_pause;
  while (true) {
    if (store_->check({key})) {
      return store_->get(key);
    }
    check_coming(of, at);
    check(&at);
    if (clock::now() >= end) {
      fail_all("rank " + std::to_string(rank) + " has waited " + human_time(1e3 * static_cast<double>(limit.count())) + " for rank " +
               std::to_string(of) + " in " + at.words() + cause_of(*store_, of));
      check();
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest_pause_of_host);
  }
}

// Asked for only where nothing has come: who leaves has come to all that it will.
void board::check_coming(int of, const errand& at) {
  if (has_left(of, *store_) && !store_->check({key_of(of, 0)})) {
    fail_all("rank " + std::to_string(of) + " has left the group, and rank " + std::to_string(rank) + " waits for it in " + at.words() +
             cause_of(*store_, of));
  }
}

bool board::leave(bool together) {
  if (has_failed_) {
    wait_for_others_to_learn();
    return false;
  }
  store_->set("left/" + std::to_string(rank), bytes_of("1"));
  const bool is_with_all = together && leaves_with_all();
  store_->set("gone/" + std::to_string(rank), bytes_of("1"));
  if (keeps_store_) {
    keep_store_for_others();
  }
  return is_with_all;
}

void board::wait_for_others_to_learn() const {
  std::this_thread::sleep_for(keeps_store_ ? std::min(time_to_learn, timeout) : std::chrono::milliseconds(0));
}

bool board::have_all(const char* done) const {
  std::vector<std::string> keys;
  for (int of = 0; of < size; ++of) {
    keys.push_back(done + std::to_string(of));
  }
  return store_->check(keys);
}

// The first rank to see all leave, or to have waited for too long, says which it is.
bool board::leaves_with_all() {
  const auto end = clock::now() + std::min(longest_farewell, timeout), end_of_all = end + time_to_learn;
  const std::string key = "farewell";
  for (bool has_said = false; clock::now() < end_of_all; std::this_thread::sleep_for(pause_at_end)) {
    if (store_->check({key})) {
      return text_of(store_->get(key)) == "together";
    }
    const bool are_all_here = have_all("left/");
    if (!has_said && (are_all_here || has_failed_ || clock::now() >= end)) {
      has_said = true;
      if (store_->add("farewells", 1) == 1) {
        store_->set(key, bytes_of(are_all_here && !has_failed_ ? "together" : "apart"));
      }
    }
  }
  return false;
}

// Those that have left need it for their farewell.
void board::keep_store_for_others() {
  const auto end = clock::now() + timeout;
  auto end_of_farewells = end;
  bool have_all_left = false;
  while (!has_failed_ && clock::now() < std::min(end, end_of_farewells) && !have_all("gone/")) {
    if (!have_all_left && have_all("left/")) {
      have_all_left = true;
      end_of_farewells = clock::now() + longest_farewell + time_to_learn;
    }
    std::this_thread::sleep_for(pause_at_end);
  }
}

std::string board::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void board::fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) {
    failure_ = why;
    has_failed_ = true;
  }
}

void board::fail_all(const std::string& why, c10d::Store& store) noexcept {
  try {
    fail(why);
    store.set(key_of_failure(), bytes_of(why));
  } catch (const std::exception&) {  // the rank that keeps the store has gone
  }
}

bool board::is_forked() const { return generation_ != forks; }

void board::begin(const std::string& callable) {
  if (callable == callable_) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    callable_ = callable;
  }
  if (!all_begun_.insert(callable).second) {
    return;
  }
  try {
    tell_life(*store_);
  } catch (const c10::Error& error) {
    fail(no_store(error));
  }
}

std::string board::begun() const {
  const std::lock_guard lock(mutex_);
  return callable_.empty() ? ", before its first collective in a callable" : ", in '" + callable_ + "' or after it";
}

// "12", and where it stands. The last one to be written is the newest.
void board::tell_life(c10d::Store& store) {
  if (is_exiting) {
    return;
  }
  const std::lock_guard lock(mutex_of_life_);
  store.set(key_of_life(rank), bytes_of(std::to_string(++signs_of_life_) + separator + stands().text()));
}

standing board::standing_in(const std::string& life) {
  return life.empty() ? standing() : standing::of(life.substr(life.find(separator) + 1));
}

// A rank that is in a meeting launches nothing.
standing board::stands() const {
  const std::string begun = this->begun();
  const std::lock_guard lock(mutex_);
  return {meetings_, launches_, waits_in_, begun};
}

// This rank launches no less until it comes to the meeting: the number is read first.
bool board::is_ahead_of(const standing& other) const {
  const uint64_t launches = launches_;
  return !other.waits_in.empty() && launches > other.launches && meetings_ <= other.meetings;
}

void board::check(const errand* at) const {
  if (is_forked()) {
    throw Error("graphed: ProcessGroup: this process was forked from that of rank " + std::to_string(rank) +
                ", which alone has the group: start ranks as processes of their own" + see(pages::distributed));
  }
  if (has_failed_) {
    throw Error("graphed: ProcessGroup: rank " + std::to_string(rank) + " cannot go on" + (at == nullptr ? "" : " with " + at->words()) +
                ": " + failure() + see(pages::distributed));
  }
}

void board::note_cause(const std::string& what) noexcept {
  try {
    store_->set("cause/" + std::to_string(rank), bytes_of(cut_short(what)));
  } catch (const std::exception&) {
  }
}

std::string board::cause_of(c10d::Store& store, int of) {
  const std::string key = "cause/" + std::to_string(of);
  return store.check({key}) ? ", after this: " + text_of(store.get(key)) : "";
}

}  // namespace graphed::impl
