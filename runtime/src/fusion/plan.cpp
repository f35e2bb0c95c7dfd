// SPDX-License-Identifier: Apache-2.0
//
// The plan is an order of units: steps by themselves, and groups. A step by itself is at its place in the program. A group floats until a
// step that is not in it depends on it. Then it gets its place, just before that step, the last one that it could have. Groups that float
// come after everything else, and nothing depends on them. So one rule says which units may be united: all that they depend on is at
// earlier places than the earliest of theirs, which is the place of the union. As a unit never gets a later place, dependences lead forward
// in this order from the first step to the last.
#include "fusion/plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace graphed::impl::fusion {
namespace {

/// Kernels of so many elements take the time of their launch. Where each of two takes longer, to run as one gains little.
constexpr int64_t few_elements = 1 << 16;

// Tensors that the plan does not look into are left alone.
bool is_fusible(const traced_step& step, const std::optional<formula_use>& known) {
  return known && step.results.size() == 1 && step.results[0].is_injective() && step.results[0].numel() > 0 &&
         std::all_of(known->operands.begin(), known->operands.end(), [&](const formula_use::operand& each) {
           return each.number || (each.argument < step.arguments.size() && step.arguments[each.argument]);
         });
}

class planner {
 public:
  planner(const traced_program& traced, const formulas_of_steps& formulas)
      : traced_(traced), formulas_(formulas), unit_of_(traced.steps.size(), none) {
    std::vector<bool> overwriting;
    for (std::size_t step = 0; step < traced.steps.size(); ++step) {
      overwriting.push_back(is_fusible(traced.steps[step], formulas[step]));
    }
    order_ = order_by_memory(traced, overwriting);
    for (std::size_t step = 0; step < traced.steps.size(); ++step) {
      overwriting[step] ? begin_group(step) : run_alone(step);
    }
    fix_all(traced.steps.size());
    unite_side_by_side();
  }

  std::vector<planned_group> groups() const {
    std::vector<const unit*> made;
    for (const auto& each : groups_) {
      if (each.steps.size() > 1) {
        made.push_back(&each);
      }
    }
    std::sort(made.begin(), made.end(), [](const unit* a, const unit* b) { return a->at < b->at; });
    std::vector<planned_group> result;
    for (const unit* const each : made) {
      result.push_back({each->steps, each->at.first, *fuse(traced_, order_, formulas_, each->steps)});
    }
    return result;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// Before this step, and the how manieth there. A step by itself is the last one at its own place.
  using place = std::pair<std::size_t, std::size_t>;
  static constexpr place floating{none, none};
  struct unit {
    std::vector<std::size_t> steps;  ///< none: it was united with another one
    place at = floating;
  };

  place place_of(std::size_t step) const { return unit_of_[step] == none ? place{step, none} : groups_[unit_of_[step]].at; }

  void fix(unit& each, std::size_t before) {
    if (!each.steps.empty() && each.at == floating) {
      each.at = {before, fixed_++};
    }
  }

  void fix_all(std::size_t before) {
    for (auto& each : groups_) {
      fix(each, before);
    }
  }

  // Those that a step depends on get their places.
  void fix_before(std::size_t step) {
    for (const std::size_t earlier : order_.after[step]) {
      if (unit_of_[earlier] != none && unit_of_[earlier] != unit_of_[step]) {
        fix(groups_[unit_of_[earlier]], step);
      }
    }
  }

  void run_alone(std::size_t step) { traced_.steps[step].is_barrier ? fix_all(step) : fix_before(step); }

  // The groups that it depends on, those that float first, the latest first.
  std::vector<std::size_t> groups_before(std::size_t step) const {
    std::vector<std::size_t> found;
    for (const std::size_t earlier : order_.after[step]) {
      if (unit_of_[earlier] != none) {
        found.push_back(unit_of_[earlier]);
      }
    }
    std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(groups_[a].at, groups_[a].steps.back()) > std::pair(groups_[b].at, groups_[b].steps.back());
    });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  void begin_group(std::size_t step) {
    const auto before = groups_before(step);
    unit_of_[step] = groups_.size();
    groups_.push_back({{step}});
    for (const std::size_t other : before) {
      unite(other, unit_of_[step]);
    }
    fix_before(step);
  }

  /// Of what the steps depend on besides one another, the last place.
  place latest_before(const std::vector<std::size_t>& steps) const {
    place latest{0, 0};
    for (const std::size_t step : steps) {
      for (const std::size_t earlier : order_.after[step]) {
        if (!std::binary_search(steps.begin(), steps.end(), earlier)) {
          latest = std::max(latest, place_of(earlier));
        }
      }
    }
    return latest;
  }

  // The first one takes over the steps of the other.
  bool unite(std::size_t first, std::size_t other) {
    unit &kept = groups_[first], &given = groups_[other];
    std::vector<std::size_t> steps;
    std::merge(kept.steps.begin(), kept.steps.end(), given.steps.begin(), given.steps.end(), std::back_inserter(steps));
    const place at = std::min(kept.at, given.at);
    const bool fits =
        steps.size() <= most_steps && (at == floating || latest_before(steps) < at) && fuse(traced_, order_, formulas_, steps);
    if (!fits) {
      return false;
    }
    for (const std::size_t step : given.steps) {
      unit_of_[step] = first;
    }
    kept = {std::move(steps), at};
    given = {};
    return true;
  }

  int64_t elements_of(const unit& each) const { return traced_.steps[each.steps.front()].results.front().numel(); }

  // Small groups that do not depend on one another.
  void unite_side_by_side() {
    std::map<int64_t, std::vector<std::size_t>> by_elements;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (!groups_[i].steps.empty() && elements_of(groups_[i]) <= few_elements) {
        by_elements[elements_of(groups_[i])].push_back(i);
      }
    }
    for (auto& alike : by_elements) {
      unite_alike(alike.second);
    }
  }

  // What each depends on is looked up once: places only become earlier.
  void unite_alike(std::vector<std::size_t>& alike) {
    std::sort(alike.begin(), alike.end(), [&](std::size_t a, std::size_t b) { return groups_[a].at < groups_[b].at; });
    std::vector<place> after;
    for (const std::size_t each : alike) {
      after.push_back(latest_before(groups_[each].steps));
    }
    for (std::size_t i = 0; i < alike.size(); ++i) {
      for (std::size_t j = i + 1; j < alike.size() && !groups_[alike[i]].steps.empty(); ++j) {
        if (after[j] < groups_[alike[i]].at && !groups_[alike[j]].steps.empty()) {
          unite(alike[i], alike[j]);
        }
      }
    }
  }

  const traced_program& traced_;
  const formulas_of_steps& formulas_;
  memory_order order_;
  std::vector<std::size_t> unit_of_;  ///< by step; none: it is one by itself
  std::vector<unit> groups_;
  std::size_t fixed_ = 0;
};

}  // namespace

std::vector<planned_group> plan_groups(const traced_program& traced, const formulas_of_steps& formulas) {
  return planner(traced, formulas).groups();
}

}  // namespace graphed::impl::fusion
