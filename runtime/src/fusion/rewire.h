// SPDX-License-Identifier: Apache-2.0
//
// The edges of a graph in which kernels take the place of groups of nodes.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace graphed::impl::fusion {

using graph_edges = std::vector<std::pair<std::size_t, std::size_t>>;  ///< from the first to the second

/// A captured graph. Nodes have numbers from zero.
struct node_graph {
  graph_edges edges;
  std::vector<std::size_t> place;  ///< by node, another one each: edges lead from lower to higher ones
};

struct node_group {
  std::vector<std::size_t> nodes;
  std::size_t before;  ///< its kernel comes before what is at this place or behind, and after what is before
};

/// Returns the edges to add once the groups' nodes have left with theirs. Group i, in the order in which they run, is node `place.size() +
/// i`. Then:
/// - Of two nodes that stay, one comes after the other if it did.
/// - What comes before a node of a group, and has an earlier place than the group, comes before the group. The same holds behind it, and of
///   two groups.
/// What other edges lead to has none of its own. Throws c10::Error if the places do not agree with the edges.
graph_edges edges_with_groups(const node_graph& graph, const std::vector<node_group>& groups);

}  // namespace graphed::impl::fusion
