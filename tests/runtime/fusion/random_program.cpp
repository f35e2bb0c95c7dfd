// SPDX-License-Identifier: Apache-2.0
#include "random_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace fusion_test {
namespace {

constexpr uintptr_t arena_begin = 1 << 12;
constexpr std::size_t arena_bytes = 4096;
constexpr std::array dtypes_here{at::kByte, at::kHalf, at::kFloat, at::kFloat, at::kFloat, at::kInt, at::kDouble};

// Formulas differ by their address alone.
constexpr std::array<formula, 3> formulas_here{};

uint64_t mixed(uint64_t state, uint64_t value) {
  state = (state ^ value) * 0x9e3779b97f4a7c15U;
  return state ^ (state >> 29);
}

template <class F>
void for_each_element(const traced_tensor& tensor, F f) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    int64_t left = i, offset = 0;
    for (std::size_t dim = tensor.sizes.size(); dim-- > 0;) {
      offset += left % tensor.sizes[dim] * tensor.strides[dim];
      left /= tensor.sizes[dim];
    }
    f(tensor.address + static_cast<uintptr_t>(offset) * c10::elementSize(tensor.dtype));
  }
}

traced_tensor broadcast(const traced_tensor& tensor, const std::vector<int64_t>& sizes) {
  traced_tensor result = tensor;
  const std::size_t leading = sizes.size() - tensor.sizes.size();
  result.sizes = sizes;
  result.strides.assign(sizes.size(), 0);
  for (std::size_t dim = leading; dim < sizes.size(); ++dim) {
    result.strides[dim] = tensor.sizes[dim - leading] == 1 ? 0 : tensor.strides[dim - leading];
  }
  return result;
}

bool can_broadcast(const traced_tensor& tensor, const std::vector<int64_t>& sizes) {
  if (tensor.sizes.size() > sizes.size()) {
    return false;
  }
  for (std::size_t dim = 0; dim < tensor.sizes.size(); ++dim) {
    const int64_t other = sizes[dim + sizes.size() - tensor.sizes.size()];
    if (tensor.sizes[dim] != other && tensor.sizes[dim] != 1) {
      return false;
    }
  }
  return true;
}

class generator {
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  bool once_in(int count) { return below(count) == 0; }
  template <class All>
  auto any_of(const All& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

 public:
  generator(std::mt19937& random, shape_of_graph shape) : random_(random), initialized_(arena_bytes) {
    for (int i = 0; i < 3; ++i) {
      const traced_tensor input = fresh(any_sizes(), any_of(dtypes_here), /*is_seen=*/true);
      initialize(input.range());
    }
    const int steps = 4 + below(36);
    opaque_share_ = below(50);
    while (static_cast<int>(made_.traced.steps.size()) < steps) {
      add_step();
    }
    finish(shape);
  }

  random_program take() { return std::move(made_); }

 private:
  std::vector<int64_t> any_sizes() {
    static const std::vector<std::vector<int64_t>> all{{4, 6}, {4, 6}, {4, 6}, {24},   {2, 12}, {4, 1, 6}, {2, 2, 6}, {6, 4},
                                                       {3, 8}, {6},    {4, 1}, {1, 6}, {1},     {},        {12}};
    return any_of(all);
  }

  std::vector<int64_t> any_strides(const std::vector<int64_t>& sizes) {
    std::vector<std::size_t> dims(sizes.size());
    std::iota(dims.begin(), dims.end(), std::size_t{0});
    if (once_in(4)) {
      std::shuffle(dims.begin(), dims.end(), random_);
    }
    std::vector<int64_t> strides(sizes.size());
    int64_t next = once_in(8) ? 2 : 1;
    for (std::size_t i = dims.size(); i-- > 0;) {
      strides[dims[i]] = next;
      next *= sizes[dims[i]];
      next += once_in(12) ? 1 : 0;
    }
    return strides;
  }

  // At the first place that has enough memory: freed addresses come again.
  std::optional<uintptr_t> find_place(std::size_t size) {
    const std::size_t rounding = once_in(2) ? 16 : 8;
    for (uintptr_t at = arena_begin; at + size <= arena_begin + arena_bytes; at += rounding) {
      const byte_range range{at, at + size};
      if (std::none_of(live_.begin(), live_.end(), [&](std::size_t each) { return made_.traced.memories[each].range.overlaps(range); })) {
        return at;
      }
    }
    return std::nullopt;
  }

  traced_tensor fresh(const std::vector<int64_t>& sizes, at::ScalarType dtype, bool is_seen) {
    traced_tensor tensor{0, dtype, sizes, any_strides(sizes), made_.traced.memories.size()};
    const byte_range at_zero = tensor.range();
    tensor.address = find_place(at_zero.end).value();
    made_.traced.memories.push_back({tensor.range(), is_seen});
    live_.push_back(tensor.memory);
    for (uintptr_t byte = tensor.range().begin; byte < tensor.range().end; ++byte) {
      initialized_[byte - arena_begin] = false;
    }
    tensors_.push_back(tensor);
    return tensor;
  }

  void initialize(const byte_range& range) {
    for (uintptr_t byte = range.begin; byte < range.end; ++byte) {
      initialized_[byte - arena_begin] = true;
    }
  }

  bool is_initialized(const traced_tensor& tensor) const {
    bool all = true;
    for_each_element(tensor, [&](uintptr_t at) {
      for (std::size_t byte = 0; byte < c10::elementSize(tensor.dtype); ++byte) {
        all = all && initialized_[at + byte - arena_begin];
      }
    });
    return all;
  }

  void free_some() {
    for (std::size_t i = 0; i < live_.size();) {
      const std::size_t memory = live_[i];
      if (made_.traced.memories[memory].is_seen || !once_in(4)) {
        ++i;
        continue;
      }
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
      tensors_.erase(std::remove_if(tensors_.begin(), tensors_.end(), [&](const traced_tensor& each) { return each.memory == memory; }),
                     tensors_.end());
    }
  }

  // Another tensor over the same memory: flattened, transposed, narrowed, of another dtype.
  void add_view() {
    traced_tensor view = any_of(tensors_);
    switch (below(5)) {
      case 0:
        if (view.is_dense() && std::is_sorted(view.strides.rbegin(), view.strides.rend())) {
          view.strides = {1};
          view.sizes = {view.numel()};
        }
        break;
      case 1:
        std::reverse(view.sizes.begin(), view.sizes.end());
        std::reverse(view.strides.begin(), view.strides.end());
        break;
      case 2:
        if (!view.sizes.empty() && view.sizes[0] > 1) {
          const std::size_t dim = static_cast<std::size_t>(below(static_cast<int>(view.sizes.size())));
          const int64_t first = below(2);
          view.sizes[dim] -= view.sizes[dim] > 1 ? 1 : 0;
          view.address += view.sizes[dim] > 1 ? static_cast<uintptr_t>(first * view.strides[dim]) * c10::elementSize(view.dtype) : 0;
        }
        break;
      case 3:
        view.sizes.insert(view.sizes.begin(), 1);
        view.strides.insert(view.strides.begin(), 1);
        break;
      default:
        if (view.dtype == at::kFloat || view.dtype == at::kInt) {
          view.dtype = view.dtype == at::kFloat ? at::kInt : at::kFloat;
        }
    }
    tensors_.push_back(view);
  }

  std::optional<traced_tensor> existing(const std::vector<int64_t>& sizes, bool is_written) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const traced_tensor tensor = any_of(tensors_);
      const bool fits =
          is_written ? tensor.sizes == sizes && tensor.is_injective() : can_broadcast(tensor, sizes) && is_initialized(tensor);
      if (fits) {
        return tensor;
      }
    }
    return std::nullopt;
  }

  void add_step() {
    free_some();
    if (once_in(3)) {
      add_view();
    }
    below(100) < opaque_share_ ? add_opaque() : add_pointwise();
  }

  void add_pointwise() {
    const std::vector<int64_t> sizes = once_in(2) && !made_.traced.steps.empty() && !made_.traced.steps.back().results.empty()
                                           ? made_.traced.steps.back().results[0].sizes
                                       : once_in(2) ? any_of(tensors_).sizes
                                                    : any_sizes();
    traced_step step;
    formula_use use{&formulas_here[static_cast<std::size_t>(below(formulas_here.size()))], {}, at::kFloat};
    for (int count = 1 + below(3); count > 0; --count) {
      auto operand = existing(sizes, /*is_written=*/false);
      if (!operand) {
        use.operands.push_back({step.arguments.size(), c10::Scalar(int64_t{below(9)})});
      } else {
        if (once_in(2)) {
          operand = tensors_.back().sizes == sizes && is_initialized(tensors_.back()) ? tensors_.back() : operand;
        }
        use.operands.push_back({step.arguments.size(), std::nullopt});
      }
      step.arguments.push_back(operand);
    }
    std::optional<traced_tensor> result;
    if (once_in(3)) {
      result = existing(sizes, /*is_written=*/true);
    }
    step.results.push_back(result ? *result : fresh(sizes, any_of(dtypes_here), once_in(6)));
    for_each_element(step.results[0], [&](uintptr_t at) { initialize({at, at + c10::elementSize(step.results[0].dtype)}); });
    for (const auto& argument : step.arguments) {
      if (argument) {
        step.reads.push_back(argument->range());
      }
    }
    step.writes.push_back(step.results[0].range());
    add(std::move(step), {}, std::move(use));
  }

  void add_opaque() {
    traced_step step;
    step.is_barrier = once_in(10);
    opaque_work work;
    for (int count = below(4); count > 0; --count) {
      add_read(any_of(tensors_), step, work);
    }
    const bool is_fresh = once_in(2);
    const traced_tensor target = is_fresh ? fresh(any_sizes(), any_of(dtypes_here), once_in(6)) : any_of(tensors_);
    const int stride = is_fresh ? 1 : 1 + below(3);
    for (uintptr_t byte = target.range().begin; byte < target.range().end; byte += static_cast<uintptr_t>(stride)) {
      work.writes.push_back(byte);
      initialized_[byte - arena_begin] = true;
    }
    if (!step.is_barrier) {
      step.writes.push_back(target.range());
      if (once_in(2) || is_fresh) {
        step.results.push_back(target);
      }
      add_temporary(step, work);
    }
    add(std::move(step), std::move(work), std::nullopt);
  }

  void add_read(const traced_tensor& tensor, traced_step& step, opaque_work& work) {
    const byte_range range = tensor.range();
    for (uintptr_t byte = range.begin; byte < range.end; ++byte) {
      if (initialized_[byte - arena_begin]) {
        work.reads.push_back(byte);
      }
    }
    if (!step.is_barrier) {
      step.reads.push_back(range);
      if (once_in(2)) {
        step.arguments.push_back(tensor);
      }
    }
  }

  void add_temporary(traced_step& step, opaque_work& work) {
    const std::size_t size = static_cast<std::size_t>(8 * below(12));
    const auto place = once_in(3) ? find_place(size) : std::nullopt;
    if (!place) {
      return;
    }
    step.writes.push_back({*place, *place + size});
    for (uintptr_t byte = *place; byte < *place + size; ++byte) {
      work.writes.push_back(byte);
      initialized_[byte - arena_begin] = false;
    }
  }

  void add(traced_step step, opaque_work work, std::optional<formula_use> use) {
    const std::size_t nodes = use || once_in(2) ? 1 : static_cast<std::size_t>(1 + below(3));
    for (std::size_t i = 0; i < nodes; ++i) {
      step.nodes.push_back(nodes_++);
    }
    nodes_ += once_in(8) ? 1 : 0;  // one of no step
    made_.traced.steps.push_back(std::move(step));
    made_.work.push_back(std::move(work));
    made_.arithmetic.push_back(use);
    made_.formulas.push_back(once_in(8) ? std::nullopt : std::move(use));
  }

  static bool conflict(const traced_step& earlier, const traced_step& later) {
    const auto any = [](const std::vector<byte_range>& some, const std::vector<byte_range>& others) {
      return std::any_of(some.begin(), some.end(), [&](const byte_range& each) {
        return std::any_of(others.begin(), others.end(), [&](const byte_range& other) { return each.overlaps(other); });
      });
    };
    return earlier.is_barrier || later.is_barrier || any(earlier.writes, later.reads) || any(earlier.writes, later.writes) ||
           any(earlier.reads, later.writes);
  }

  void finish(shape_of_graph shape) {
    node_graph& graph = made_.graph;
    for (std::size_t node = 0; node < nodes_; ++node) {
      graph.place.push_back(3 * node);
    }
    shape == shape_of_graph::chain ? add_chain() : add_branches();
    std::shuffle(graph.edges.begin(), graph.edges.end(), random_);
    for (const auto& memory : made_.traced.memories) {
      for (uintptr_t byte = memory.range.begin; memory.is_seen && byte < memory.range.end; ++byte) {
        if (initialized_[byte - arena_begin]) {
          made_.seen.push_back(byte);
        }
      }
    }
  }

  void add_chain() {
    for (std::size_t node = 1; node < nodes_; ++node) {
      made_.graph.edges.emplace_back(node - 1, node);
    }
  }

  void add_branches() {
    const auto& steps = made_.traced.steps;
    std::vector<std::optional<std::size_t>> last(static_cast<std::size_t>(1 + below(4)));
    std::vector<bool> is_of_step(nodes_);
    for (std::size_t step = 0; step < steps.size(); ++step) {
      auto& on_branch = last[static_cast<std::size_t>(below(static_cast<int>(last.size())))];
      if (on_branch) {
        made_.graph.edges.emplace_back(steps[*on_branch].nodes.back(), steps[step].nodes.front());
      }
      on_branch = step;
      for (std::size_t earlier = 0; earlier < step; ++earlier) {
        if (conflict(steps[earlier], steps[step])) {
          made_.graph.edges.emplace_back(steps[earlier].nodes.back(), steps[step].nodes.front());
        }
      }
      for (std::size_t i = 0; i < steps[step].nodes.size(); ++i) {
        is_of_step[steps[step].nodes[i]] = true;
        if (i != 0) {
          made_.graph.edges.emplace_back(steps[step].nodes[i - 1], steps[step].nodes[i]);
        }
      }
    }
    for (std::size_t node = 1; node + 1 < nodes_; ++node) {
      for (int count = is_of_step[node] ? 0 : 1 + below(3); count > 0; --count) {
        made_.graph.edges.emplace_back(static_cast<std::size_t>(below(static_cast<int>(node))), node);
        made_.graph.edges.emplace_back(node, node + 1 + static_cast<std::size_t>(below(static_cast<int>(nodes_ - node - 1))));
      }
    }
  }

  std::mt19937& random_;
  random_program made_;
  std::vector<bool> initialized_;
  std::vector<std::size_t> live_;
  std::vector<traced_tensor> tensors_;
  std::size_t nodes_ = 0;
  int opaque_share_ = 0;
};

/// The memory while a program runs.
class machine {
 public:
  explicit machine(const random_program& made) : made_(made), memory_(arena_bytes), inputs_(made.traced.steps.size()) {
    for (std::size_t i = 0; i < arena_bytes; ++i) {
      memory_[i] = static_cast<unsigned char>(mixed(1, i) & 0xff);
    }
  }

  void run_node(std::size_t step, bool is_first, bool is_last) {
    if (made_.arithmetic[step]) {
      run_pointwise(step);
      return;
    }
    if (is_first) {
      for (const uintptr_t byte : made_.work[step].reads) {
        inputs_[step] = mixed(inputs_[step], memory_[byte - arena_begin] + 1U);
      }
    }
    for (std::size_t i = 0; is_last && i < made_.work[step].writes.size(); ++i) {
      memory_[made_.work[step].writes[i] - arena_begin] = static_cast<unsigned char>(mixed(inputs_[step] + step, i) & 0xff);
    }
  }

  void run_kernel(const planned_kernel& kernel, std::mt19937& random) {
    std::vector<std::pair<const group_in_memory*, int64_t>> threads;
    for (const auto& each : kernel.groups) {
      const auto& sizes = each.group.sizes;
      const int64_t elements = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, [](int64_t a, int64_t b) { return a * b; });
      for (int64_t i = 0; i < elements; ++i) {
        threads.emplace_back(&each, i);
      }
    }
    std::shuffle(threads.begin(), threads.end(), random);
    for (const auto& [group, index] : threads) {
      run_thread(*group, index);
    }
  }

  outcome result() const {
    outcome all{{}, inputs_};
    for (const uintptr_t byte : made_.seen) {
      all.seen.push_back(memory_[byte - arena_begin]);
    }
    return all;
  }

 private:
  uint64_t load(uintptr_t at, at::ScalarType dtype) const {
    uint64_t value = 0;
    for (std::size_t byte = 0; byte < c10::elementSize(dtype); ++byte) {
      value |= static_cast<uint64_t>(memory_[at + byte - arena_begin]) << (8 * byte);
    }
    return value;
  }

  void store(uintptr_t at, at::ScalarType dtype, uint64_t value) {
    for (std::size_t byte = 0; byte < c10::elementSize(dtype); ++byte) {
      memory_[at + byte - arena_begin] = static_cast<unsigned char>(value >> (8 * byte) & 0xff);
    }
  }

  static uint64_t rounded(uint64_t value, at::ScalarType dtype) {
    const std::size_t bits = 8 * c10::elementSize(dtype);
    return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
  }

  static uint64_t converted(uint64_t value, at::ScalarType from) { return mixed(static_cast<uint64_t>(from) + 1, value); }

  static uint64_t compute(const formula* of, const std::vector<uint64_t>& operands, at::ScalarType dtype) {
    uint64_t value = static_cast<uint64_t>(of - formulas_here.data()) + 7;
    for (const uint64_t operand : operands) {
      value = mixed(value, operand);
    }
    return rounded(mixed(value, static_cast<uint64_t>(dtype)), dtype);
  }

  // As LibTorch does: operands that are the result's own elements are read first. Others do not overlap it, or the order is unspecified.
  void run_pointwise(std::size_t step) {
    const traced_step& traced = made_.traced.steps[step];
    const traced_tensor& result = traced.results[0];
    const formula_use& use = *made_.arithmetic[step];
    std::vector<std::vector<uint64_t>> operands(static_cast<std::size_t>(result.numel()));
    for (const auto& operand : use.operands) {
      std::size_t i = 0;
      if (operand.number) {
        std::for_each(operands.begin(), operands.end(),
                      [&](auto& each) { each.push_back(static_cast<uint64_t>(operand.number->toLong())); });
        continue;
      }
      const traced_tensor& tensor = *traced.arguments[operand.argument];
      for_each_element(broadcast(tensor, result.sizes),
                       [&](uintptr_t at) { operands[i++].push_back(converted(load(at, tensor.dtype), tensor.dtype)); });
    }
    std::size_t i = 0;
    for_each_element(result, [&](uintptr_t at) { store(at, result.dtype, compute(use.of, operands[i++], result.dtype)); });
  }

  void run_thread(const group_in_memory& kernel, int64_t thread) {
    const fusion::group& group = kernel.group;
    std::vector<uintptr_t> at = kernel.addresses;
    for (std::size_t dim = group.sizes.size(); dim-- > 0; thread /= group.sizes[dim]) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        at[i] +=
            static_cast<uintptr_t>(thread % group.sizes[dim] * group.memories[i].strides[dim]) * c10::elementSize(group.memories[i].dtype);
      }
    }
    std::vector<uint64_t> loaded, values;
    for (std::size_t i = 0; i < at.size(); ++i) {
      loaded.push_back(load(at[i], group.memories[i].dtype));
    }
    for (const auto& step : group.steps) {
      std::vector<uint64_t> operands;
      for (const auto& operand : step.operands) {
        operands.push_back(operand.from == operand::source::number   ? static_cast<uint64_t>(operand.number.toLong())
                           : operand.from == operand::source::memory ? converted(loaded[operand.index], group.memories[operand.index].dtype)
                                                                     : converted(values[operand.index], group.steps[operand.index].dtype));
      }
      values.push_back(compute(step.of, operands, step.dtype));
    }
    for (const auto& store_of : group.stores) {
      EXPECT_EQ(group.memories[store_of.memory].dtype, group.steps[store_of.step].dtype);
      store(at[store_of.memory], group.steps[store_of.step].dtype, values[store_of.step]);
    }
  }

  const random_program& made_;
  bytes memory_;
  std::vector<uint64_t> inputs_;  ///< by step
};

}  // namespace

random_program make_program(std::mt19937& random, shape_of_graph shape) { return generator(random, shape).take(); }

outcome run_in_order(const random_program& made) {
  machine machine(made);
  for (std::size_t step = 0; step < made.traced.steps.size(); ++step) {
    machine.run_node(step, true, true);
  }
  return machine.result();
}

std::vector<node_group> groups_of_nodes(const random_program& made, const std::vector<planned_kernel>& kernels) {
  const auto& steps = made.traced.steps;
  std::vector<node_group> result;
  for (const auto& each : kernels) {
    std::size_t before = made.graph.place.back() + 1;
    if (each.before < steps.size()) {
      before = made.graph.place[steps[each.before].nodes.front()];
    }
    result.push_back({{}, before});
    for (const std::size_t step : each.steps) {
      result.back().nodes.push_back(steps[step].nodes.front());
    }
  }
  return result;
}

outcome run_fused(const random_program& made, const std::vector<planned_kernel>& kernels, std::mt19937& random) {
  const auto with_nodes = groups_of_nodes(made, kernels);
  const std::size_t nodes = made.graph.place.size(), units = nodes + kernels.size();
  std::vector<std::optional<std::pair<std::size_t, std::size_t>>> step_of(nodes);  // and the how manieth of its nodes
  for (std::size_t step = 0; step < made.traced.steps.size(); ++step) {
    for (std::size_t i = 0; i < made.traced.steps[step].nodes.size(); ++i) {
      step_of[made.traced.steps[step].nodes[i]] = {step, i};
    }
  }
  std::vector<bool> has_left(units);
  for (const auto& group : with_nodes) {
    for (const std::size_t node : group.nodes) {
      has_left[node] = true;
    }
  }
  graph_edges edges = edges_with_groups(made.graph, with_nodes);
  for (const auto& edge : made.graph.edges) {
    if (!has_left[edge.first] && !has_left[edge.second]) {
      edges.push_back(edge);
    }
  }
  std::vector<std::size_t> missing(units), ready;
  std::vector<std::vector<std::size_t>> next(units);
  for (const auto& [from, to] : edges) {
    EXPECT_FALSE(has_left[from] || has_left[to]);
    next[from].push_back(to);
    ++missing[to];
  }
  for (std::size_t unit = 0; unit < units; ++unit) {
    if (missing[unit] == 0 && !has_left[unit]) {
      ready.push_back(unit);
    }
  }
  machine machine(made);
  std::size_t run = 0;
  for (; !ready.empty(); ++run) {
    std::swap(ready[std::uniform_int_distribution<std::size_t>(0, ready.size() - 1)(random)], ready.back());
    const std::size_t unit = ready.back();
    ready.pop_back();
    if (unit >= nodes) {
      machine.run_kernel(kernels[unit - nodes], random);
    } else if (const auto& of = step_of[unit]) {
      machine.run_node(of->first, of->second == 0, of->second + 1 == made.traced.steps[of->first].nodes.size());
    }
    for (const std::size_t each : next[unit]) {
      if (--missing[each] == 0) {
        ready.push_back(each);
      }
    }
  }
  EXPECT_EQ(run, units - static_cast<std::size_t>(std::count(has_left.begin(), has_left.end(), true))) << "the graph has a cycle";
  return machine.result();
}

}  // namespace fusion_test
