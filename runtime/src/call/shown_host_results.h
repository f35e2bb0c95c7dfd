// SPDX-License-Identifier: Apache-2.0
//
// What the host parts of a callable return, as its runs have shown: a capture that does not run them goes on with tensors like these. A
// padded callable is captured for more rows than its runs may have had.
#pragma once

#include "watch/host_part.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace graphed::impl {

class shown_host_results {
 public:
  /// The sizes of a run's padded dimensions.
  using sizes = std::vector<int64_t>;

  /// By a run. Whether the last one of the same sizes has shown others.
  bool add(const sizes& of_run, const std::vector<host_results>& all);
  /// Those of a run of these sizes, as one has shown, or as it follows from others: an extent grows with a size as from one of those to
  /// another. Where all had one size, an extent that is the same grows with it. Empty where there are no host parts, or nothing follows.
  std::vector<host_results> of(const sizes& wanted) const;
  /// Whether those need no guess by a size that all runs had.
  bool show(const sizes& wanted) const;
  /// Whether a run has had these sizes.
  bool know(const sizes& of_run) const { return by_sizes_.count(of_run) != 0; }
  /// Whether no run has come to a host part.
  bool empty() const;

 private:
  using run = std::map<sizes, std::vector<host_results>>::value_type;
  /// One that differs from it in this size alone, and has as many results.
  const run* other_in(std::size_t size, const run& known) const;
  /// Gives the results the extents for another size than this run had; false where it cannot.
  bool grow(std::vector<host_results>& results, const run& known, std::size_t size, int64_t wanted) const;

  std::map<sizes, std::vector<host_results>> by_sizes_;
};

}  // namespace graphed::impl
