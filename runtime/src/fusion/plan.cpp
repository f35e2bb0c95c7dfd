// SPDX-License-Identifier: Apache-2.0
//
// The plan is an order of units: steps by themselves, and groups. A step by itself is at its place in the program. A group floats until a
// step that is not in it depends on it. Then it gets its place, just before that step, the last one that it could have. Groups that float
// come after everything else, and nothing depends on them. So one rule says whether units may become one: all that they depend on has an
// earlier place than the earliest of theirs, which is the place of the whole. As places only become earlier, what depends on a unit stays
// behind it.
#include "fusion/plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphed::impl::fusion {
namespace {

/// A group of so many elements takes the time of its launch.
constexpr int64_t few_elements = 1 << 16;
/// Of a kernel: each thread looks for its own. The addresses of their memories fill three of the four kilobytes that parameters may have.
constexpr std::size_t most_groups = 16;
static_assert(most_groups * most_memories * sizeof(uintptr_t) <= 3072);

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
    is_parallel_ = std::any_of(traced.steps.begin(), traced.steps.end(), [](const traced_step& each) { return each.branch != 0; });
    note_order_of_branches();
    for (std::size_t step = 0; step < traced.steps.size(); ++step) {
      overwriting[step] && fuse(traced, order_, formulas, {step}) ? begin_group(step) : run_alone(step);
    }
    fix_all(traced.steps.size());
  }

  std::vector<planned_kernel> kernels() const {
    std::vector<planned_kernel> result;
    for (const auto& each : launches()) {
      std::vector<std::size_t> steps;
      for (const unit* const part : each) {
        steps.insert(steps.end(), part->steps.begin(), part->steps.end());
      }
      if (steps.size() < 2) {
        continue;
      }
      std::sort(steps.begin(), steps.end());
      result.push_back({std::move(steps), each.front()->at.first, {}});
      for (const unit* const part : each) {
        result.back().groups.push_back(*fuse(traced_, order_, formulas_, part->steps));
      }
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

  void note_order_of_branches() {
    std::vector<std::size_t> last;
    for (const traced_step& each : traced_.steps) {
      last.resize(std::max(last.size(), each.branch + 1), none);
      before_on_branch_.push_back(std::exchange(last[each.branch], before_on_branch_.size()));
    }
  }

  // Where branches run side by side, a kernel takes the place of steps that follow one another on one branch: others of another branch
  // would make that wait, and those behind it. Nor may a step wait for more than it did where others wait for its value.
  bool delays_others(const std::vector<std::size_t>& steps) const {
    if (!is_parallel_) {
      return false;
    }
    for (std::size_t i = 1; i < steps.size(); ++i) {
      const auto& after = order_.after[steps[i]];
      const bool is_next = before_on_branch_[steps[i]] == steps[i - 1];
      const bool waits = std::any_of(after.begin(), after.end(), [&](std::size_t earlier) {
        return traced_.steps[earlier].branch != traced_.steps[steps[i]].branch && !std::binary_search(steps.begin(), steps.end(), earlier);
      });
      if (!is_next || waits) {
        return true;
      }
    }
    return false;
  }

  // The first one takes over the steps of the other, where that is possible.
  void unite(std::size_t first, std::size_t other) {
    unit &kept = groups_[first], &given = groups_[other];
    std::vector<std::size_t> steps;
    std::merge(kept.steps.begin(), kept.steps.end(), given.steps.begin(), given.steps.end(), std::back_inserter(steps));
    const place at = std::min(kept.at, given.at);
    if ((at != floating && !(latest_before(steps) < at)) || delays_others(steps) || !fuse(traced_, order_, formulas_, steps)) {
      return;
    }
    for (const std::size_t step : given.steps) {
      unit_of_[step] = first;
    }
    kept = {std::move(steps), at};
    given = {};
  }

  bool is_small(const unit& each) const { return traced_.steps[each.steps.front()].results.front().numel() <= few_elements; }

  // Small groups that do not depend on one another are one launch, at the place of its first one. Branches would wait for one another.
  std::vector<std::vector<const unit*>> launches() const {
    std::vector<const unit*> in_order;
    for (const auto& each : groups_) {
      if (!each.steps.empty()) {
        in_order.push_back(&each);
      }
    }
    std::sort(in_order.begin(), in_order.end(), [](const unit* a, const unit* b) { return a->at < b->at; });
    std::vector<std::vector<const unit*>> result;
    for (const unit* const each : in_order) {
      const place latest = latest_before(each->steps);
      const auto found = std::find_if(result.begin(), result.end(), [&](const std::vector<const unit*>& launch) {
        return !is_parallel_ && is_small(*each) && is_small(*launch.front()) && launch.size() < most_groups && latest < launch.front()->at;
      });
      found == result.end() ? result.push_back({each}) : found->push_back(each);
    }
    return result;
  }

  const traced_program& traced_;
  const formulas_of_steps& formulas_;
  memory_order order_;
  bool is_parallel_ = false;                   ///< on several branches
  std::vector<std::size_t> before_on_branch_;  ///< by step
  std::vector<std::size_t> unit_of_;           ///< by step; none: it is one by itself
  std::vector<unit> groups_;
  std::size_t fixed_ = 0;
};

}  // namespace

std::vector<planned_kernel> plan_kernels(const traced_program& traced, const formulas_of_steps& formulas) {
  return planner(traced, formulas).kernels();
}

}  // namespace graphed::impl::fusion
