// SPDX-License-Identifier: Apache-2.0
#include "watch/operator_order.h"

#include <algorithm>

namespace graphed::impl {
namespace {

constexpr unsigned page_bits = 21;

void join(std::vector<std::size_t>& clock, const std::vector<std::size_t>& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) {
    clock[i] = std::max(clock[i], other[i]);
  }
}

}  // namespace

operator_order::operator_order(std::size_t branches) : last_(branches + 1, nobody), barrier_(branches + 1) {}

std::vector<operator_order::range*> operator_order::overlapping(uintptr_t begin, uintptr_t end) {
  std::vector<std::size_t> found;
  for (uintptr_t page = begin >> page_bits; page <= (end - 1) >> page_bits; ++page) {
    const auto known = by_page_.find(page);
    if (known == by_page_.end()) {
      continue;
    }
    for (const std::size_t index : known->second) {
      if (ranges_[index].begin < end && begin < ranges_[index].end) {
        found.push_back(index);
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<range*> all;
  for (const std::size_t index : found) {
    all.push_back(&ranges_[index]);
  }
  return all;
}

operator_order::range& operator_order::exactly(uintptr_t begin, uintptr_t end) {
  for (range* const each : overlapping(begin, end)) {
    if (each->begin == begin && each->end == end) {
      return *each;
    }
  }
  for (uintptr_t page = begin >> page_bits; page <= (end - 1) >> page_bits; ++page) {
    by_page_[page].push_back(ranges_.size());
  }
  return ranges_.emplace_back(range{begin, end, 0, clock(last_.size())});
}

void operator_order::need(clock& needed, std::size_t op) const {
  if (op != 0) {
    std::size_t& known = needed[operators_[op - 1].branch];
    known = std::max(known, op);
  }
}

// The branch whose last operator this one needs goes on. Else it is one that does not delay it; else a new one; else the one that has been
// idle for the longest.
std::size_t operator_order::choose(const clock& needed, const clock& before) const {
  std::size_t goes_on = nobody, is_free = nobody, is_new = nobody, is_oldest = 0;
  for (std::size_t branch = 0; branch + 1 < last_.size(); ++branch) {
    const std::size_t last = last_[branch] + 1;
    if (last == 0) {
      is_new = std::min(is_new, branch);
      continue;
    }
    if (last == needed[branch] && (goes_on == nobody || last > last_[goes_on] + 1)) {
      goes_on = branch;
    }
    if (last <= before[branch] && is_free == nobody) {
      is_free = branch;
    }
    if (last_[is_oldest] != nobody && last_[branch] < last_[is_oldest]) {
      is_oldest = branch;
    }
  }
  return goes_on != nobody ? goes_on : is_free != nobody ? is_free : is_new != nobody ? is_new : is_oldest;
}

operator_order::placement operator_order::place(const clock& needed, std::optional<std::size_t> branch) {
  clock before = barrier_;
  for (const std::size_t op : needed) {
    if (op != 0) {
      join(before, operators_[op - 1].before);
    }
  }
  placement made{branch ? *branch : choose(needed, before), {}};
  clock known = last_[made.branch] == nobody ? clock(last_.size()) : operators_[last_[made.branch]].before;
  clock wanted = needed;
  join(wanted, barrier_);
  std::vector<std::size_t> latest_first(wanted.begin(), wanted.end());
  std::sort(latest_first.rbegin(), latest_first.rend());
  for (const std::size_t op : latest_first) {
    if (op != 0 && known[operators_[op - 1].branch] < op) {
      made.after.push_back(op - 1);
      join(known, operators_[op - 1].before);
    }
  }
  operators_.push_back({made.branch, std::move(known)});
  operators_.back().before[made.branch] = operators_.size();
  last_[made.branch] = operators_.size() - 1;
  return made;
}

operator_order::placement operator_order::add(c10::ArrayRef<memory_access> accesses, bool is_movable) {
  return add_on(is_movable ? std::nullopt : std::optional<std::size_t>(0), accesses);
}

operator_order::placement operator_order::add_apart(c10::ArrayRef<memory_access> accesses) { return add_on(last_.size() - 1, accesses); }

operator_order::placement operator_order::add_on(std::optional<std::size_t> branch, c10::ArrayRef<memory_access> accesses) {
  clock needed(last_.size());
  for (const auto& access : accesses) {
    for (const range* const each : overlapping(access.begin, access.end)) {
      need(needed, each->writer);
      if (access.writes) {
        for (const std::size_t reader : each->readers) {
          need(needed, reader);
        }
      }
    }
  }
  const placement made = place(needed, branch);
  for (const auto& access : accesses) {
    note(access, operators_.size());
  }
  return made;
}

operator_order::placement operator_order::add_barrier() {
  clock needed(last_.size());
  for (const std::size_t last : last_) {
    need(needed, last + 1);
  }
  const placement made = place(needed, 0);
  barrier_ = operators_.back().before;
  return made;
}

bool operator_order::add_result(uintptr_t begin, uintptr_t end) { return take_over(begin, end, operators_.size()); }

bool operator_order::add_memory(uintptr_t begin, uintptr_t end, std::size_t branch) { return take_over(begin, end, last_[branch] + 1); }

// By the operator of this number, or before all operators.
bool operator_order::take_over(uintptr_t begin, uintptr_t end, std::size_t op) {
  clock users(last_.size());
  for (const range* const each : overlapping(begin, end)) {
    need(users, each->writer);
    for (const std::size_t reader : each->readers) {
      need(users, reader);
    }
  }
  if (op == 0) {
    return std::all_of(users.begin(), users.end(), [](std::size_t user) { return user == 0; });
  }
  const clock& before = operators_[op - 1].before;
  note({begin, end, /*writes=*/true}, op);
  return std::equal(users.begin(), users.end(), before.begin(), [](std::size_t user, std::size_t known) { return user <= known; });
}

void operator_order::note(const memory_access& access, std::size_t op) {
  range& own = exactly(access.begin, access.end);
  if (!access.writes) {
    own.readers[operators_[op - 1].branch] = op;
    return;
  }
  own.writer = op;
  std::fill(own.readers.begin(), own.readers.end(), std::size_t{0});
}

}  // namespace graphed::impl
