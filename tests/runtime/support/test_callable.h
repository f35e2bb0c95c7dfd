// SPDX-License-Identifier: Apache-2.0
//
// A graphed callable made from a lambda, with the steps that generated code takes: the tests of the runtime need no generator.
#pragma once

#include <graphed/impl/glue.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace graphed::testing {

using namespace impl;  // these tests are written as generated code is

/// A dimension variable, in the shape of an argument.
inline constexpr int64_t B = -1;

struct argument {
  std::string name;
  std::vector<int64_t> shape;  ///< may hold B
  c10::ScalarType dtype = at::kFloat;
  bool grad = false;
  bool inplace = false;
  unsigned flags = 0;  ///< further graphed::impl::flags
};

struct settings {
  int warmup = 2;
  OutputPolicy outputs = OutputPolicy::Keep;
  bool strict = false;
  int slots = 2;
  std::vector<int64_t> sizes = {0};           ///< the values of B
  std::optional<PadFill> pad = std::nullopt;  ///< B is rounded up
  bool list = false;                          ///< the arguments are the elements of one parameter, a list
  std::size_t list_from = 0;                  ///< of a list: how many arguments come before it
  const char* pool = nullptr;
  bool step = false;
  bool grads_in_graph = false;
  std::optional<int64_t> any = std::nullopt;  ///< so many values of B, those that calls provide
};

/// What generated code has as constants. It lives until the program ends: captures and autograd nodes may outlive the callable.
class description {
 public:
  static const CallableSpec& make(std::vector<argument> arguments, const settings& settings) {
    static std::mutex mutex;
    static std::deque<description> all;
    const std::lock_guard lock(mutex);
    return all.emplace_back(std::move(arguments), settings).spec_;
  }

  description(std::vector<argument> arguments, const settings& settings) : arguments_(std::move(arguments)) {
    if (settings.list) {
      lists_.push_back({"list", static_cast<int64_t>(arguments_.size() - settings.list_from)});
    }
    if (settings.any) {
      add_open_sample(*settings.any);
    } else {
      for (const int64_t size : settings.sizes) {
        add_sample(size, settings.pad);
      }
    }
    spec_ = {"test_callable",
             "test.cpp",
             1,
             "GRAPHED(x: f32[4])\nGRAPHED(x: f32[8])",
             samples_,
             settings.warmup,
             settings.outputs,
             settings.strict,
             settings.slots,
             settings.pool};
    spec_.step = settings.step;
    spec_.grads_in_graph = settings.grads_in_graph;
  }
  description(const description&) = delete;

 private:
  struct tables {
    std::deque<std::vector<int64_t>> shapes;
    std::vector<TensorSpec> tensors;
    std::vector<PaddedVariable> padded;
    std::vector<PaddedDim> padded_dims;
    std::vector<OpenVariable> open;
    std::vector<OpenDim> open_dims;
  };

  void add_sample(int64_t size, std::optional<PadFill> pad) {
    tables& made = tables_.emplace_back();
    for (const auto& argument : arguments_) {
      auto& shape = made.shapes.emplace_back(argument.shape);
      for (std::size_t dim = 0; dim < shape.size(); ++dim) {
        if (shape[dim] == B) {
          shape[dim] = size;
          made.padded_dims.push_back({static_cast<int64_t>(made.tensors.size()), static_cast<int64_t>(dim), 0});
        }
      }
      const unsigned all = argument.flags | (argument.grad ? flags::grad : 0) | (argument.inplace ? flags::inplace : 0);
      made.tensors.push_back({argument.name.c_str(), argument.dtype, shape, all});
    }
    if (pad) {
      made.padded.push_back({"B", size, *pad});
      samples_.push_back({made.tensors, lists_, made.padded, made.padded_dims});
    } else {
      samples_.push_back({made.tensors, lists_});
    }
  }

  void add_open_sample(int64_t at_most) {
    static_assert(B == open_extent);
    add_sample(B, std::nullopt);
    tables& made = tables_.back();
    for (const auto& place : made.padded_dims) {
      made.open_dims.push_back({place.tensor, place.dim, "B", [](const Extent* values) { return values[0]; }});
    }
    made.open.push_back({"B", 0, at_most, made.open_dims.front().tensor, made.open_dims.front().dim});
    samples_.back().open = made.open;
    samples_.back().open_dims = made.open_dims;
  }

  const std::vector<argument> arguments_;
  std::vector<ListSpec> lists_;
  std::deque<tables> tables_;
  std::vector<SampleSpec> samples_;
  CallableSpec spec_{"", "", 0, nullptr, {}};
};

class test_callable {
 public:
  using body = std::function<tensor_list(tensor_list&)>;

  /// `object`: whose members the body may read and replace, as a method does.
  test_callable(std::vector<argument> arguments, body plain, settings settings = {}, const torch::nn::Module* module = nullptr,
                WatchedObject object = {})
      : parameters_(settings.list ? settings.list_from : no_list),
        on_host_(numbers_of_host_arguments(arguments)),
        gives_future_(settings.outputs == OutputPolicy::Host),
        has_history_(!gives_future_ || settings.step),
        plain_(std::move(plain)),
        engine_(description::make(std::move(arguments), settings), module, std::move(object)) {}
  /// One of several with this description, which stays forever.
  test_callable(const CallableSpec& description, body plain) : parameters_(no_list), plain_(std::move(plain)), engine_(description) {}
  test_callable(const test_callable&) = delete;

  tensor_list operator()(const tensor_list& arguments, Scalars scalars = {}) {
    if (gives_future_) {
      return async(arguments, std::move(scalars)).get();
    }
    const Inputs inputs = flat(arguments);
    Call call(engine_, inputs, std::move(scalars));
    if (auto* graph = call.captured(plain_)) {
      return node::forward(*graph, inputs);
    }
    return call.original([&] { return plain(on_device(call, arguments)); });
  }
  /// Of a callable whose results are in the memory of the host.
  future<tensor_list> async(const tensor_list& arguments, Scalars scalars = {}) {
    const c10::AutoGradMode history(has_history_ && c10::GradMode::is_enabled());
    const Inputs inputs = flat(arguments);
    Call call(engine_, inputs, std::move(scalars));
    if (auto* graph = call.captured(plain_)) {
      return future<tensor_list>(node::forward_to_host(*graph, inputs));
    }
    return future_of([&] { return call.original([&] { return plain(on_device(call, arguments)); }); });
  }
  void prepare(const tensor_list& arguments, const Scalars& scalars = {}) {
    const c10::AutoGradMode history(has_history_ && c10::GradMode::is_enabled());
    Call::prepare(engine_, flat(arguments), plain_, scalars);
  }
  Estimate estimate(const tensor_list& arguments, const Scalars& scalars = {}) {
    Engine apart = engine_.apart();
    Call::prepare(apart, flat(arguments), plain_, scalars);
    return apart.estimate();
  }
  tensor_list plain(tensor_list arguments) { return plain_(arguments); }

  Statistics stats() const { return engine_.stats(); }
  uint64_t misses(Miss reason) const { return stats().misses[static_cast<std::size_t>(reason)]; }
  std::string explain() const { return engine_.explain(); }
  void reset() { engine_.reset(); }

 private:
  struct node final : AutogradFunction {
    static tensor_list forward(ForwardGraph& graph, const Inputs& inputs) {
      graph.stage(inputs);
      graph.replay();
      return graph.outputs<node>(inputs);
    }
    static HostResults forward_to_host(ForwardGraph& graph, const Inputs& inputs) {
      graph.stage(inputs);
      graph.replay();
      return graph.results_on_host(inputs);
    }
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

  Inputs flat(const tensor_list& arguments) const {
    Inputs made;
    const at::TensorList all(arguments);
    for (std::size_t i = 0; i < std::min(parameters_, all.size()); ++i) {
      is_on_host(i) ? made.on_host(all[i]) : made(all[i]);
    }
    if (parameters_ != no_list) {
      made(all.slice(std::min(parameters_, all.size())));
    }
    return made;
  }

  static std::vector<std::size_t> numbers_of_host_arguments(const std::vector<argument>& arguments) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if ((arguments[i].flags & flags::host) != 0) {
        numbers.push_back(i);
      }
    }
    return numbers;
  }
  bool is_on_host(std::size_t argument) const { return std::find(on_host_.begin(), on_host_.end(), argument) != on_host_.end(); }
  tensor_list on_device(Call& call, tensor_list arguments) const {
    for (const std::size_t i : on_host_) {
      if (i < arguments.size()) {
        arguments[i] = call.on_device(arguments[i]);
      }
    }
    return arguments;
  }

  static constexpr std::size_t no_list = std::numeric_limits<std::size_t>::max();
  const std::size_t parameters_;  ///< before the list
  const std::vector<std::size_t> on_host_;
  const bool gives_future_ = false, has_history_ = true;
  const body plain_;
  Engine engine_;
};

}  // namespace graphed::testing
