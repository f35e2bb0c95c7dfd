// SPDX-License-Identifier: Apache-2.0
#include "fusion/rewire.h"

#include "fusion/ancestry.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace graphed::impl::fusion {
namespace {

class rewiring {
 public:
  rewiring(const node_graph& graph, const std::vector<node_group>& groups)
      : graph_(graph),
        groups_(groups),
        group_of_(graph.place.size(), none),
        first_of_group_(groups.size()),
        number_of_(graph.place.size() + groups.size(), none) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const std::size_t node : groups[i].nodes) {
        group_of_[node] = i;
      }
    }
    order_nodes();
    find_ancestors();
  }

  // The units, nodes that stay and groups, in their new order.
  graph_edges run() {
    std::size_t group = 0;
    for (const std::size_t node : in_order_) {
      while (group < groups_.size() && groups_[group].before <= graph_.place[node]) {
        add_group(group++);
      }
      if (group_of_[node] == none) {
        add_unit(node, ancestors_.clock_of(vertex_of_[node]), graph_.place[node]);
      }
    }
    while (group < groups_.size()) {
      add_group(group++);
    }
    return std::move(added_);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void order_nodes() {
    in_order_.resize(graph_.place.size());
    for (std::size_t node = 0; node < in_order_.size(); ++node) {
      in_order_[node] = node;
    }
    std::sort(in_order_.begin(), in_order_.end(), [&](std::size_t a, std::size_t b) { return graph_.place[a] < graph_.place[b]; });
    vertex_of_.resize(in_order_.size());
    for (std::size_t i = 0; i < in_order_.size(); ++i) {
      vertex_of_[in_order_[i]] = i;
    }
  }

  void find_ancestors() {
    std::vector<std::vector<std::size_t>> before(in_order_.size());
    for (const auto& [from, to] : graph_.edges) {
      TORCH_CHECK(graph_.place[from] < graph_.place[to], "graphed: an edge of the graph leads against the order of its nodes");
      before[vertex_of_[to]].push_back(vertex_of_[from]);
      if (group_of_[from] == none && group_of_[to] == none) {
        kept_.emplace(from, to);
      }
    }
    for (std::size_t vertex = 0; vertex < in_order_.size(); ++vertex) {
      ancestors_.add(std::move(before[vertex]));
      note_on_chain(vertex);
    }
  }

  void note_on_chain(std::size_t vertex) {
    const std::size_t node = in_order_[vertex], chain = ancestors_.chain_of(vertex);
    staying_.resize(ancestors_.chains());
    if (group_of_[node] == none) {
      staying_[chain].push_back(vertex);
      return;
    }
    auto& first = first_of_group_[group_of_[node]];
    const bool is_known = std::any_of(first.begin(), first.end(), [&](std::size_t each) { return ancestors_.chain_of(each) == chain; });
    if (!is_known) {
      first.push_back(vertex);
    }
  }

  bool is_before(std::size_t vertex, const ancestry::clock& clock) const {
    const std::size_t chain = ancestors_.chain_of(vertex);
    return chain < clock.size() && ancestors_.count_of(vertex) <= clock[chain];
  }

  void add_group(std::size_t group) {
    ancestry::clock clock;
    for (const std::size_t node : groups_[group].nodes) {
      ancestry::join(clock, ancestors_.clock_of(vertex_of_[node]));
    }
    add_unit(graph_.place.size() + group, clock, groups_[group].before);
    placed_groups_.push_back({group, units_.size() - 1});
  }

  // Of each chain, the last node that stays and comes before; and all groups that do.
  void add_unit(std::size_t unit, const ancestry::clock& clock, std::size_t place) {
    std::vector<std::size_t> behind;
    for (std::size_t chain = 0; chain < clock.size(); ++chain) {
      const auto& nodes = staying_[chain];
      const auto next = std::partition_point(nodes.begin(), nodes.end(), [&](std::size_t vertex) {
        return is_before(vertex, clock) && graph_.place[in_order_[vertex]] < place;
      });
      if (next != nodes.begin()) {
        behind.push_back(number_of_[in_order_[*std::prev(next)]]);
      }
    }
    for (const auto& [group, number] : placed_groups_) {
      const auto& first = first_of_group_[group];
      if (std::any_of(first.begin(), first.end(), [&](std::size_t vertex) { return is_before(vertex, clock); })) {
        behind.push_back(number);
      }
    }
    for (const std::size_t number : new_order_.add(std::move(behind))) {
      if (kept_.count({units_[number], unit}) == 0) {
        added_.emplace_back(units_[number], unit);
      }
    }
    number_of_[unit] = units_.size();
    units_.push_back(unit);
  }

  const node_graph& graph_;
  const std::vector<node_group>& groups_;
  std::vector<std::size_t> group_of_;                     ///< by node
  std::vector<std::size_t> in_order_, vertex_of_;         ///< the nodes by their places, and back
  ancestry ancestors_;                                    ///< of the captured graph
  std::vector<std::vector<std::size_t>> staying_;         ///< by chain of that: the vertices of nodes that stay
  std::vector<std::vector<std::size_t>> first_of_group_;  ///< by group: its first vertex of each chain
  std::set<std::pair<std::size_t, std::size_t>> kept_;    ///< edges that stay
  ancestry new_order_;
  std::vector<std::size_t> units_;                                  ///< in the new order
  std::vector<std::size_t> number_of_;                              ///< there, by unit
  std::vector<std::pair<std::size_t, std::size_t>> placed_groups_;  ///< with their numbers there
  graph_edges added_;
};

}  // namespace

graph_edges edges_with_groups(const node_graph& graph, const std::vector<node_group>& groups) { return rewiring(graph, groups).run(); }

}  // namespace graphed::impl::fusion
