// SPDX-License-Identifier: Apache-2.0
#include "fusion/fuse.h"

#include "fusion/index_space.h"

#include <algorithm>
#include <utility>

namespace graphed::impl::fusion {
namespace {

class kernel_builder {
 public:
  kernel_builder(const traced_program& traced, const memory_order& order, const formulas_of_steps& formulas,
                 const std::vector<std::size_t>& steps)
      : traced_(traced), order_(order), formulas_(formulas), steps_(steps) {}

  std::optional<group_in_memory> build() {
    if (steps_.size() > most_steps || !find_space() || !add_steps() || !add_stores() || places_.size() > most_memories) {
      return std::nullopt;
    }
    return finished();
  }

 private:
  /// Where the elements of a tensor are, by the number of the element in the space.
  struct place {
    const traced_tensor* tensor;
    byte_range range;
    std::vector<int64_t> strides;

    bool overlaps(const place& other) const { return range.overlaps(other.range); }
    bool is_of_same_elements(const place& other) const {
      return tensor->address == other.tensor->address && tensor->dtype == other.tensor->dtype && strides == other.strides;
    }
  };

  const traced_tensor& result_of(std::size_t index) const { return traced_.steps[steps_[index]].results.front(); }

  bool find_space() {
    std::optional<index_space> space = space_of(result_of(0).sizes);
    for (std::size_t i = 1; i < steps_.size() && space; ++i) {
      space = common_space(*space, space_of(result_of(i).sizes));
    }
    space_ = space.value_or(index_space());
    return space.has_value();
  }

  std::optional<place> place_of(const traced_tensor& tensor, c10::IntArrayRef sizes) const {
    auto strides = strides_in(space_, sizes, tensor);
    return strides ? std::optional(place{&tensor, tensor.range(), *std::move(strides)}) : std::nullopt;
  }

  std::size_t index_of(const place& memory) {
    const auto found = std::find_if(places_.begin(), places_.end(), [&](const place& each) { return each.is_of_same_elements(memory); });
    if (found != places_.end()) {
      return static_cast<std::size_t>(found - places_.begin());
    }
    places_.push_back(memory);
    return places_.size() - 1;
  }

  // What an earlier step has written there is in a register.
  std::optional<operand> value_of(const place& read) {
    for (std::size_t i = written_.size(); i-- > 0;) {
      if (written_[i].overlaps(read)) {
        return written_[i].is_of_same_elements(read) ? std::optional(operand::of_step(i)) : std::nullopt;
      }
    }
    return operand::of_memory(index_of(read));
  }

  bool add_steps() {
    for (const std::size_t step : steps_) {
      const traced_tensor& result = traced_.steps[step].results.front();
      const formula_use& known = *formulas_[step];
      fusion::step added{known.of, {}, known.computes_in, result.dtype};
      for (const auto& each : known.operands) {
        if (each.number) {
          added.operands.push_back(operand::of_number(*each.number));
          continue;
        }
        const auto where = place_of(*traced_.steps[step].arguments[each.argument], result.sizes);
        const auto value = where ? value_of(*where) : std::nullopt;
        if (!value) {
          return false;
        }
        added.operands.push_back(*value);
      }
      auto where = place_of(result, result.sizes);
      if (!where) {
        return false;
      }
      written_.push_back(*std::move(where));
      group_.steps.push_back(std::move(added));
    }
    return true;
  }

  bool is_overwritten(std::size_t index) const {
    return std::any_of(written_.begin() + static_cast<std::ptrdiff_t>(index) + 1, written_.end(),
                       [&](const place& later) { return later.is_of_same_elements(written_[index]); });
  }

  bool is_used_outside(std::size_t index) const {
    const written_value& value = order_.values[steps_[index]];
    return value.is_seen || std::any_of(value.readers.begin(), value.readers.end(),
                                        [&](std::size_t reader) { return !std::binary_search(steps_.begin(), steps_.end(), reader); });
  }

  // A group that nothing uses keeps its last store, so that it is a kernel.
  bool add_stores() {
    for (std::size_t i = 0; i < written_.size(); ++i) {
      const bool is_last = i + 1 == written_.size() && group_.stores.empty();
      if (!is_last && (is_overwritten(i) || !is_used_outside(i))) {
        continue;
      }
      const place& target = written_[i];
      const auto is_hazard = [&](const place& other) { return other.overlaps(target) && !other.is_of_same_elements(target); };
      if (std::any_of(places_.begin(), places_.end(), is_hazard)) {
        return false;
      }
      group_.stores.push_back({i, index_of(written_[i])});
    }
    return true;
  }

  // Neighbouring threads use neighbouring elements of what the group stores.
  group_in_memory finished() {
    std::vector<std::vector<int64_t>*> strides;
    for (auto& each : places_) {
      strides.push_back(&each.strides);
    }
    simplify(space_, places_[group_.stores.front().memory].strides, strides);
    group_in_memory made{std::move(group_), {}};
    made.group.sizes = space_;
    for (auto& each : places_) {
      made.group.memories.push_back({each.tensor->dtype, std::move(each.strides), each.tensor->address % 16 == 0});
      made.addresses.push_back(each.tensor->address);
    }
    return made;
  }

  const traced_program& traced_;
  const memory_order& order_;
  const formulas_of_steps& formulas_;
  const std::vector<std::size_t>& steps_;
  index_space space_;
  std::vector<place> places_;   ///< what the kernel loads, then what it stores
  std::vector<place> written_;  ///< by step, stored or not
  fusion::group group_;
};

}  // namespace

std::optional<group_in_memory> fuse(const traced_program& traced, const memory_order& order, const formulas_of_steps& formulas,
                                    const std::vector<std::size_t>& steps) {
  return kernel_builder(traced, order, formulas, steps).build();
}

}  // namespace graphed::impl::fusion
