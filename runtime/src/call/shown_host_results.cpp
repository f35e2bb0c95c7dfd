// SPDX-License-Identifier: Apache-2.0
#include "call/shown_host_results.h"

#include <ATen/ExpandUtils.h>

#include <algorithm>
#include <utility>

namespace graphed::impl {
namespace {

bool are_alike(const std::vector<host_results>& some, const std::vector<host_results>& others) {
  const auto is_like = [](const host_result& one, const host_result& other) {
    return one.sizes.size() == other.sizes.size() && one.dtype == other.dtype && one.device == other.device;
  };
  return std::equal(some.begin(), some.end(), others.begin(), others.end(), [&](const host_results& part, const host_results& other) {
    return std::equal(part.begin(), part.end(), other.begin(), other.end(), is_like);
  });
}

}  // namespace

bool shown_host_results::add(const sizes& of_run, const std::vector<host_results>& all) {
  const auto [known, is_new] = by_sizes_.try_emplace(of_run, all);
  return !is_new && std::exchange(known->second, all) != all;
}

bool shown_host_results::empty() const {
  return std::all_of(by_sizes_.begin(), by_sizes_.end(), [](const run& each) { return each.second.empty(); });
}

bool shown_host_results::show(const sizes& wanted) const {
  if (by_sizes_.empty() || know(wanted)) {
    return true;
  }
  const run& known = *by_sizes_.rbegin();
  for (std::size_t size = 0; size < wanted.size(); ++size) {
    if (wanted[size] != known.first[size] && other_in(size, known) == nullptr) {
      return false;
    }
  }
  return true;
}

const shown_host_results::run* shown_host_results::other_in(std::size_t size, const run& known) const {
  const auto found = std::find_if(by_sizes_.begin(), by_sizes_.end(), [&](const run& each) {
    sizes same = each.first;
    same[size] = known.first[size];
    return each.first[size] != known.first[size] && same == known.first && are_alike(each.second, known.second);
  });
  return found == by_sizes_.end() ? nullptr : &*found;
}

bool shown_host_results::grow(std::vector<host_results>& results, const run& known, std::size_t size, int64_t wanted) const {
  const int64_t before = known.first[size];
  const run* const other = wanted == before ? nullptr : other_in(size, known);
  for (std::size_t part = 0; part < results.size() && wanted != before; ++part) {
    for (std::size_t i = 0; i < results[part].size(); ++i) {
      for (std::size_t dim = 0; dim < results[part][i].sizes.size(); ++dim) {
        const int64_t extent = known.second[part][i].sizes[dim];
        const int64_t step = other == nullptr ? 1 : before - other->first[size];
        const int64_t growth = other == nullptr ? (extent == before ? 1 : 0) : extent - other->second[part][i].sizes[dim];
        if (growth % step != 0) {
          return false;
        }
        results[part][i].sizes[dim] += growth / step * (wanted - before);
      }
    }
  }
  return true;
}

std::vector<host_results> shown_host_results::of(const sizes& wanted) const {
  if (const auto known = by_sizes_.find(wanted); known != by_sizes_.end()) {
    return known->second;
  }
  if (by_sizes_.empty()) {
    return {};
  }
  const run& known = *by_sizes_.rbegin();
  std::vector<host_results> results = known.second;
  for (std::size_t size = 0; size < wanted.size(); ++size) {
    if (!grow(results, known, size, wanted[size])) {
      return {};
    }
  }
  for (host_results& part : results) {
    for (host_result& each : part) {
      const at::DimVector strides(at::infer_dense_strides(each.sizes, each.strides));
      each.strides.assign(strides.begin(), strides.end());
    }
  }
  return results;
}

}  // namespace graphed::impl
