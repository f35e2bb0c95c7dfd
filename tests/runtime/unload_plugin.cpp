// SPDX-License-Identifier: Apache-2.0
//
// A library that is loaded and unloaded while the program runs, with a callable in static storage: what generated code does.
#include <graphed/host.h>
#include <graphed/impl/glue.h>

#include <ATen/ATen.h>

#include <memory>

namespace {

using namespace graphed;
using namespace graphed::impl;

constexpr int64_t shape[] = {4};
constexpr TensorSpec tensors[] = {{"x", at::kFloat, shape}, {"w", at::kFloat, shape, flags::grad}};
constexpr SampleSpec samples[] = {{tensors}};
constexpr CallableSpec spec{"plugin::scaled", "plugin.h", 1, "x: f32[4], w: f32[4] grad", samples, /*warmup=*/2};

struct function final : AutogradFunction {
  static tensor_list forward(ForwardGraph& graph, const Inputs& inputs) {
    graph.stage(inputs);
    graph.replay();
    return graph.outputs<function>(inputs);
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

int runs_of_host_part = 0;

at::Tensor scaled(const at::Tensor& x, const at::Tensor& w) {
  const at::Tensor y = x * w;
  host([y] { ++runs_of_host_part; });
  return y.sin();
}

Engine engine(spec);

}  // namespace

extern "C" void call_plugin(const at::Tensor& x, const at::Tensor& w, at::Tensor& result) {
  const Inputs inputs(x, w);
  std::shared_ptr<const int> form;
  const auto body = [&form](tensor_list& in) {
    form = std::shared_ptr<const int>(new int(1), [](const int* made) { delete made; });
    return tensor_list{scaled(in[0], in[1])};
  };
  Call call(engine, inputs);
  if (auto* graph = call.captured(body)) {
    form = graph->form(form);
    result = function::forward(*graph, inputs)[0];
  } else {
    result = call.original([&] { return scaled(x, w); });
  }
}

extern "C" uint64_t replays_of_plugin() { return engine.stats().replays; }
