// SPDX-License-Identifier: Apache-2.0
//
// Which vertices of an acyclic graph come before which others.
#pragma once

#include <cstddef>
#include <vector>

namespace graphed::impl::fusion {

/// Grows by a vertex at a time, behind others. The vertices are on chains, each behind the one before, so that of all that come before a
/// vertex, the last one of each chain says it: that is the vertex's clock. Graphs of captures have few chains, one for each branch.
class ancestry {
 public:
  /// By chain, how many of its vertices come before, or are the vertex. Chains at the end may be missing.
  using clock = std::vector<std::size_t>;
  static void join(clock& with, const clock& other);

  /// The next vertex, by its number. Returns the edges that it needs: of `behind`, those that come before no other one there, the latest
  /// first.
  std::vector<std::size_t> add(std::vector<std::size_t> behind);

  const clock& clock_of(std::size_t vertex) const { return clocks_[vertex]; }
  std::size_t chains() const { return lengths_.size(); }
  std::size_t chain_of(std::size_t vertex) const { return chain_[vertex]; }
  /// On its chain, itself included.
  std::size_t count_of(std::size_t vertex) const { return clocks_[vertex][chain_[vertex]]; }

 private:
  std::size_t choose_chain(const clock& before) const;

  std::vector<std::size_t> lengths_;  ///< by chain
  std::vector<std::size_t> chain_;
  std::vector<clock> clocks_;
};

}  // namespace graphed::impl::fusion
