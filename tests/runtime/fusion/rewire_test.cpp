// SPDX-License-Identifier: Apache-2.0
//
// The order that a graph keeps when groups of its nodes become kernels, and how few edges that takes.
#include "fusion/rewire.h"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace fusion_rewire_test {
namespace {

using namespace graphed::impl::fusion;

using reached_from = std::vector<std::vector<bool>>;

// By brute force.
reached_from closure(std::size_t count, const graph_edges& edges) {
  reached_from reached(count, std::vector<bool>(count));
  std::vector<std::vector<std::size_t>> next(count);
  for (const auto& [from, to] : edges) {
    next[from].push_back(to);
  }
  for (std::size_t start = 0; start < count; ++start) {
    std::vector<std::size_t> open{start};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t each : next[at]) {
        if (!reached[start][each]) {
          reached[start][each] = true;
          open.push_back(each);
        }
      }
    }
  }
  return reached;
}

node_graph chain_of(std::size_t nodes) {
  node_graph graph;
  for (std::size_t node = 0; node < nodes; ++node) {
    graph.place.push_back(node);
    if (node != 0) {
      graph.edges.emplace_back(node - 1, node);
    }
  }
  return graph;
}

graph_edges sorted(graph_edges edges) {
  std::sort(edges.begin(), edges.end());
  return edges;
}

node_graph random_graph(std::mt19937& random, std::size_t nodes) {
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
  node_graph graph;
  graph.place.resize(nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    graph.place[node] = 2 * node + below(2);
  }
  std::shuffle(graph.place.begin(), graph.place.end(), random);
  const std::size_t edges = below(3 * nodes);
  for (std::size_t i = 0; i < edges; ++i) {
    const std::size_t a = below(nodes), b = below(nodes);
    if (a != b) {
      graph.edges.push_back(graph.place[a] < graph.place[b] ? std::pair(a, b) : std::pair(b, a));
    }
  }
  return graph;
}

std::vector<node_group> random_groups(std::mt19937& random, std::size_t nodes) {
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
  std::vector<node_group> groups(1 + below(5));
  for (auto& each : groups) {
    each.before = below(2 * nodes + 2);
  }
  std::sort(groups.begin(), groups.end(), [](const node_group& a, const node_group& b) { return a.before < b.before; });
  for (std::size_t node = 0; node < nodes; ++node) {
    if (below(3) == 0) {
      groups[below(groups.size())].nodes.push_back(node);
    }
  }
  return groups;
}

TEST(FusionRewire, AChainStaysAChain) {
  // 0 1 [2 3 5] 4 6 7: 4 comes before the group.
  EXPECT_EQ(sorted(edges_with_groups(chain_of(8), {{{2, 3, 5}, 6}})), (graph_edges{{1, 4}, {4, 8}, {8, 6}}));
}

TEST(FusionRewire, AGroupAtEitherEndHasNeighboursOnOneSide) {
  EXPECT_EQ(edges_with_groups(chain_of(3), {{{0, 1}, 2}}), (graph_edges{{3, 2}}));
  EXPECT_EQ(edges_with_groups(chain_of(3), {{{1, 2}, 3}}), (graph_edges{{0, 3}}));
  EXPECT_TRUE(edges_with_groups(chain_of(3), {{{0, 1, 2}, 3}}).empty());
}

TEST(FusionRewire, NodesThatMovedAcrossOthersAreOrderedWithTheRestAlone) {
  // 3 moves before 1 and 2, which stay. 0 was before all.
  EXPECT_EQ(sorted(edges_with_groups(chain_of(5), {{{0, 3}, 1}})), (graph_edges{{2, 4}, {5, 1}}));
}

TEST(FusionRewire, GroupsNextToOneAnotherAreOrderedWhereTheirNodesWere) {
  EXPECT_EQ(sorted(edges_with_groups(chain_of(4), {{{0, 1}, 4}, {{2, 3}, 4}})), (graph_edges{{4, 5}}));
  node_graph apart = chain_of(4);
  apart.edges = {{0, 1}, {2, 3}};
  EXPECT_TRUE(edges_with_groups(apart, {{{0, 1}, 4}, {{2, 3}, 4}}).empty());
}

TEST(FusionRewire, BranchesStayApart) {
  // 0 forks to 1 2 3 and 4 5 6, which 7 joins.
  node_graph graph = chain_of(8);
  graph.edges = {{0, 1}, {1, 2}, {2, 3}, {0, 4}, {4, 5}, {5, 6}, {3, 7}, {6, 7}};
  EXPECT_EQ(sorted(edges_with_groups(graph, {{{1, 2}, 3}, {{5, 6}, 7}})), (graph_edges{{0, 8}, {4, 9}, {8, 3}, {9, 7}}));
}

TEST(FusionRewire, PlacesThatDoNotAgreeWithTheEdgesAreAnError) {
  node_graph graph = chain_of(3);
  graph.edges.emplace_back(2, 0);
  EXPECT_THROW(edges_with_groups(graph, {{{0, 1}, 2}}), c10::Error);
}

// What a unit consists of: a node that stays, or a group's nodes.
std::vector<std::vector<std::size_t>> parts_of_units(std::size_t nodes, const std::vector<node_group>& groups) {
  std::vector<std::vector<std::size_t>> parts(nodes + groups.size());
  for (std::size_t node = 0; node < nodes; ++node) {
    parts[node] = {node};
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const std::size_t node : groups[i].nodes) {
      parts[node].clear();
    }
    parts[nodes + i] = groups[i].nodes;
  }
  return parts;
}

TEST(FusionRewire, RandomGraphsKeepTheirOrderWithoutNeedlessEdges) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const std::size_t nodes = std::uniform_int_distribution<std::size_t>(2, 24)(random);
    const node_graph graph = random_graph(random, nodes);
    const auto groups = random_groups(random, nodes);
    const auto parts = parts_of_units(nodes, groups);
    const auto place_of = [&](std::size_t unit) {
      return unit < nodes ? std::pair(graph.place[unit], static_cast<std::size_t>(-1))
                          : std::pair(groups[unit - nodes].before, unit - nodes);
    };
    const graph_edges added = edges_with_groups(graph, groups);
    graph_edges edges = added;
    for (const auto& edge : graph.edges) {
      if (!parts[edge.first].empty() && !parts[edge.second].empty()) {
        edges.push_back(edge);
      }
    }
    for (const auto& [from, to] : edges) {
      ASSERT_LT(place_of(from), place_of(to)) << "seed " << seed;  // so there is no cycle
    }
    const reached_from before = closure(nodes, graph.edges), after = closure(parts.size(), edges);
    for (std::size_t first = 0; first < parts.size(); ++first) {
      for (std::size_t second = 0; second < parts.size(); ++second) {
        const bool was_before = std::any_of(parts[first].begin(), parts[first].end(), [&](std::size_t a) {
          return std::any_of(parts[second].begin(), parts[second].end(), [&](std::size_t b) { return before[a][b]; });
        });
        if (first != second && was_before && place_of(first) < place_of(second)) {
          ASSERT_TRUE(after[first][second]) << "seed " << seed << ": " << first << " before " << second;
        }
      }
    }
    for (const auto& [from, to] : added) {
      for (std::size_t between = 0; between < parts.size(); ++between) {
        ASSERT_FALSE(after[from][between] && after[between][to]) << "seed " << seed << ": the edge " << from << " to " << to;
      }
    }
    ASSERT_EQ(std::set(added.begin(), added.end()).size(), added.size());
  }
}

}  // namespace
}  // namespace fusion_rewire_test
