// SPDX-License-Identifier: Apache-2.0
#include <graphed/make_graphed_callables.h>

#include "call/warm_up.h"
#include "report/range.h"

#include <graphed/disable.h>
#include <graphed/error.h>
#include <graphed/impl/graph.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <optional>
#include <unordered_set>

namespace graphed::impl {

/// One of several callables that are captured ahead of their calls, in an order, without leaving a trace.
class group_capture {
 public:
  /// Throws GuardError where arguments do not match or nothing captures.
  group_capture(Engine& engine, Inputs arguments, std::function<tensor_list(tensor_list&)> body)
      : engine_(engine), arguments_(std::move(arguments)), body_(std::move(body)), device_(admitted().device) {}

  c10::Device device() const { return device_; }
  /// What the callable throws passes through.
  void warm_up(restored_state& before);
  /// The next of its forwards. Throws CaptureError where a capture fails: the engine must be dropped then.
  void forward();
  /// That of its oldest forward which has had none.
  void backward();
  /// From now on calls are served by what was captured.
  void end();

 private:
  admission admitted() { return {*engine_.state_, arguments_, {}, {}, call_purpose::prepare}; }

  Engine engine_;
  const Inputs arguments_;
  const std::function<tensor_list(tensor_list&)> body_;
  const c10::Device device_;
  std::deque<SlotLease> in_flight_;           ///< whose forward has come, the oldest first
  std::deque<SlotLease> idle_;                ///< whose backward has come as well
  std::unordered_set<const slot*> complete_;  ///< whose backward is captured
};

void group_capture::warm_up(restored_state& before) {
  admission call = admitted();
  const range profiled(call.engine.spec.name);
  for (int run = 0; run < std::max(call.engine.spec.warmup, 1); ++run) {
    run_tracelessly(call, body_, before);
  }
}

void group_capture::forward() {
  if (idle_.empty()) {
    admission call = admitted();
    const range profiled(call.engine.spec.name);
    idle_.push_back(capture(call, body_));
  }
  in_flight_.push_back(std::move(idle_.front()));
  idle_.pop_front();
}

void group_capture::backward() {
  idle_.push_back(std::move(in_flight_.front()));
  in_flight_.pop_front();
  slot& oldest = *idle_.back();
  if (complete_.insert(&oldest).second) {
    oldest.prepare_backward(/*required=*/true);
  }
}

void group_capture::end() {
  end_warmups(admitted());
  idle_.clear();
}

// Runs every callable, then captures in `order` (see GraphedOptions::order), which has a backward for each forward.
static void capture_all(std::deque<group_capture>& group, const std::vector<int>& order) {
  if (group.empty()) {
    return;
  }
  restored_state before(group.front().device());
  for (auto& one : group) {
    one.warm_up(before);
  }
  for (const int step : order) {
    auto& one = group[static_cast<std::size_t>(std::abs(step)) - 1];
    step > 0 ? one.forward() : one.backward();
  }
  for (auto& one : group) {
    one.end();
  }
}

}  // namespace graphed::impl

namespace graphed {
using namespace impl;
namespace {

/// What generated code has as constants, made of sample arguments. Engines and captures keep it.
class run_time_description {
 public:
  static std::shared_ptr<const CallableSpec> make(std::string name, const tensor_list& samples, const GraphedOptions& options, int slots) {
    auto made = std::make_shared<const run_time_description>(std::move(name), samples, options, slots);
    return {made, &made->spec_};
  }

  run_time_description(std::string name, const tensor_list& samples, const GraphedOptions& options, int slots) : name_(std::move(name)) {
    for (const auto& tensor : samples) {
      names_.push_back("arguments[" + std::to_string(names_.size()) + "]");
      shapes_.push_back(tensor.sizes().vec());
      tensors_.push_back({names_.back().c_str(), tensor.scalar_type(), shapes_.back(), flags_of(tensor)});
    }
    list_.count = static_cast<int64_t>(samples.size());
    sample_ = {tensors_, list_};
    spec_ = {name_.c_str(), "", 0, nullptr, sample_, options.warmup, options.outputs, options.strict, slots};
    if (options.pool && options.outputs == OutputPolicy::Keep) {
      spec_.outputs = OutputPolicy::Clone;  // a replay of another callable would overwrite what is held of this one
    }
    spec_.grads_in_graph = options.grads_in_graph;
  }
  run_time_description(const run_time_description&) = delete;

 private:
  static unsigned flags_of(const at::Tensor& tensor) {
    const bool is_channels_last = !tensor.is_contiguous() && tensor.is_contiguous(tensor.dim() == 5 ? at::MemoryFormat::ChannelsLast3d
                                                                                                    : at::MemoryFormat::ChannelsLast);
    return (tensor.requires_grad() ? flags::grad : 0U) | (is_channels_last ? flags::channels_last : 0U);
  }

  const std::string name_;
  std::deque<std::string> names_;
  std::deque<std::vector<int64_t>> shapes_;
  std::vector<TensorSpec> tensors_;
  ListSpec list_{"arguments", 0};
  SampleSpec sample_;
  CallableSpec spec_{"", "", 0, nullptr, {}};
};

/// The autograd node of one call.
struct graphed_function final : AutogradFunction {
  tensor_list apply(tensor_list&& gradients) override {
    auto graph = backward(gradients);
    if (!graph) {
      return original_backward(gradients);
    }
    graph->stage(gradients);
    graph->replay();
    return graph->gradients(gradients);
  }
};

[[noreturn]] void refuse(const std::string& what) { throw Error("graphed: make_graphed_callables: " + what); }

void check_samples(const std::vector<OriginalCallable>& callables, const std::vector<tensor_list>& samples, const PoolHandle& pool) {
  if (callables.size() != samples.size()) {
    refuse("expected sample arguments for " + std::to_string(callables.size()) + " callables, got " + std::to_string(samples.size()));
  }
  std::optional<c10::Device> device = pool ? std::optional(pool.device()) : std::nullopt;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = 0; j < samples[i].size(); ++j) {
      const std::string which = "sample argument " + std::to_string(j) + " of callable " + std::to_string(i + 1);
      if (!samples[i][j].defined()) {
        refuse(which + ": expected a tensor, got an undefined one");
      }
      if (device && *device != samples[i][j].device()) {
        refuse(which + ": expected device " + device->str() + ", got " + samples[i][j].device().str());
      }
      device = samples[i][j].device();
    }
  }
}

std::vector<int> order_of(const GraphedOptions& options, int count) {
  if (options.slots < 1) {
    refuse("expected one slot or more, got " + std::to_string(options.slots));
  }
  if (options.outputs == OutputPolicy::Host) {
    refuse("outputs in the memory of the host are for annotated callables");
  }
  if (!options.order.empty()) {
    return options.order;
  }
  std::vector<int> order;
  for (int place = 0; place < options.slots * count; ++place) {
    order.push_back(place % count + 1);
  }
  const std::vector<int> forwards = order;
  std::transform(forwards.rbegin(), forwards.rend(), std::back_inserter(order), std::negate<>());
  return order;
}

/// How many forwards of each callable come before their backwards, at most.
std::vector<int> slots_of(const std::vector<int>& order, std::size_t count) {
  std::vector<int> most(count, 0);
  std::vector<int> in_flight(count, 0);
  for (const int step : order) {
    const auto index = static_cast<std::size_t>(std::abs(step)) - 1;
    if (step == 0 || index >= count) {
      refuse("order: expected 1 to " + std::to_string(count) + " or its negative, got " + std::to_string(step));
    }
    in_flight[index] += step > 0 ? 1 : -1;
    if (in_flight[index] < 0) {
      refuse("order: " + std::to_string(step) + " is a backward without a forward before it");
    }
    most[index] = std::max(most[index], in_flight[index]);
  }
  for (std::size_t index = 0; index < count; ++index) {
    if (in_flight[index] != 0) {
      refuse("order: a forward of callable " + std::to_string(index + 1) + " has no backward");
    }
    if (most[index] == 0) {
      refuse("order: callable " + std::to_string(index + 1) + " is missing");
    }
  }
  return most;
}

}  // namespace

void OriginalCallable::check_count(std::size_t got, std::size_t expected) {
  if (got != expected) {
    throw Error("graphed: a module's forward: expected " + std::to_string(expected) + " tensors, got " + std::to_string(got));
  }
}

struct GraphedCallable::state {
  state(OriginalCallable callable, std::shared_ptr<const CallableSpec> spec, const PoolHandle& pool)
      : original(std::move(callable)), captures(std::move(spec), original.module(), pool) {}

  const OriginalCallable original;
  Engine captures;
};

GraphedCallable::GraphedCallable(std::shared_ptr<state> state) : state_(std::move(state)) {}

GraphedCallable::state& GraphedCallable::require_state() const {
  if (!state_) {
    throw moved_from();
  }
  return *state_;
}

tensor_list GraphedCallable::operator()(const tensor_list& arguments) const {
  state& callable = require_state();
  const Inputs inputs(arguments);
  Call call(callable.captures, inputs);
  auto* graph = call.captured([&](tensor_list& tensors) { return callable.original(tensors); });
  if (graph == nullptr) {
    return call.original([&] { return callable.original(arguments); });
  }
  graph->stage(inputs);
  graph->replay();
  return graph->outputs<graphed_function>(inputs);
}

Statistics GraphedCallable::stats() const { return require_state().captures.stats(); }

std::string GraphedCallable::explain() const { return require_state().captures.explain(); }

void GraphedCallable::reset() { require_state().captures.reset(); }

std::vector<GraphedCallable> make_graphed_callables(std::vector<OriginalCallable> callables,
                                                    const std::vector<tensor_list>& sample_arguments, const GraphedOptions& options) {
  check_samples(callables, sample_arguments, options.pool);
  const auto order = order_of(options, static_cast<int>(callables.size()));
  const auto slots = slots_of(order, callables.size());
  if (options.pool && std::any_of(slots.begin(), slots.end(), [](int count) { return count > 1; })) {
    refuse("calls in flight side by side cannot share a pool: leave `pool` empty, or let each forward's backward come before the next");
  }
  std::vector<GraphedCallable> made;
  std::deque<group_capture> group;
  for (std::size_t i = 0; i < callables.size(); ++i) {
    auto name = callables.size() == 1 ? options.name : options.name + "[" + std::to_string(i) + "]";
    auto spec = run_time_description::make(std::move(name), sample_arguments[i], options, slots[i]);
    auto state = std::make_shared<GraphedCallable::state>(std::move(callables[i]), std::move(spec), options.pool);
    if (!is_disabled()) {
      group.emplace_back(state->captures, Inputs(sample_arguments[i]),
                         [&original = state->original](tensor_list& in) { return original(in); });
    }
    made.push_back(GraphedCallable(std::move(state)));
  }
  capture_all(group, order);
  return made;
}

GraphedCallable make_graphed_callable(OriginalCallable callable, const tensor_list& sample_arguments, const GraphedOptions& options) {
  std::vector<OriginalCallable> one;
  one.push_back(std::move(callable));
  return make_graphed_callables(std::move(one), {sample_arguments}, options).front();
}

}  // namespace graphed
