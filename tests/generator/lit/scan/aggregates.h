// SPDX-License-Identifier: Apache-2.0
//
// Every aggregate, flattened in the order of its type, and visited by the generated code.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s --check-prefix=PLAN
// RUN: graphgen --print %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <graphed/scalar.h>
#include <torch/torch.h>
#include <unordered_map>
#include <map>

namespace app {
struct Identified {
  torch::Tensor id;
};
template <class T>
struct Layer {
  T weight, bias;
};
struct Config {
  bool causal;
  double eps;
};
struct Batch : Identified {
  Config config;
  std::vector<Layer<torch::Tensor>> layers;
  std::optional<torch::Tensor> mask;
};

// PLAN-LABEL: "name": "app::nested"
// PLAN: "name": "batch",
// PLAN-NEXT: "type": "struct"
// PLAN: "tensor_count": 6,
// PLAN-NEXT: "scalars": [
// PLAN: "name": "batch.config.causal",
// PLAN-NEXT: "type": "bool",
// PLAN-NEXT: "scalar": "key"
// PLAN: "name": "batch.config.eps",
// PLAN-NEXT: "type": "floating point",
// PLAN-NEXT: "scalar": "const"
// PLAN: "name": "batch.id"
// PLAN: "name": "batch.layers[0].weight"
// PLAN: "name": "batch.layers[0].bias"
// PLAN: "name": "batch.layers[1].weight"
// PLAN: "name": "batch.layers[1].bias"
// PLAN: "name": "batch.mask"
//
// CHECK: {"batch.layers[1].bias", at::kFloat, batch_layers_bias_shape},
// CHECK: {"batch.layers", /*count=*/2},
// CHECK: constexpr auto visit_arguments = [](auto& visit, auto& batch) {
// CHECK-NEXT: {{^}}  visit(batch.id);
// CHECK-NEXT: {{^}}  visit.each(batch.layers, [&](auto& element) {
// CHECK-NEXT: {{^}}    visit(element.weight);
// CHECK-NEXT: {{^}}    visit(element.bias);
// CHECK-NEXT: {{^}}  });
// CHECK-NEXT: {{^}}  visit(batch.mask);
// CHECK-NEXT: {{^}}};
// CHECK: visit_arguments(inputs, arguments.batch);
// CHECK: const auto scalars = [&] {
// CHECK-NEXT: {{^}}    return graphed::impl::Scalars()
// CHECK-NEXT: {{^}}        .key("batch.config.causal", arguments.batch.config.causal)
// CHECK-NEXT: {{^}}        .constant("batch.config.eps", arguments.batch.config.eps);
// CHECK-NEXT: {{^}}  };
// CHECK: auto captured_batch = arguments.batch;
// CHECK: visit_arguments(refill, captured_batch);
// CHECK: return ::app::nested(captured_batch);
GRAPHED(batch: {layers: {bias: f32[3], weight: f32[2, 3]} * 2, mask: f32[2], id: i64[2], config: {eps: const, causal: key}})
torch::Tensor nested(const Batch& batch);

// PLAN: "name": "sizes",
// PLAN-NEXT: "type": "array of integers",
// PLAN: "name": "sizes[1]",
// PLAN-NEXT: "type": "integer",
// PLAN-NEXT: "scalar": "key"
// CHECK: .key("sizes[0]", std::get<0>(arguments.sizes))
// CHECK-NEXT: .key("sizes[1]", std::get<1>(arguments.sizes));
// CHECK: auto captured_sizes = arguments.sizes;
// CHECK: return ::app::valued(in[0], captured_sizes);
GRAPHED(x: f32[2], sizes: key * 2)
torch::Tensor valued(torch::Tensor x, const std::array<int, 2>& sizes);

// CHECK: visit(x);
// CHECK-NEXT: visit(std::get<0>(pair));
// CHECK-NEXT: visit(std::get<0>(std::get<2>(pair)));
// CHECK-NEXT: visit.each(std::get<1>(std::get<2>(pair)), visit);
// CHECK-NEXT: visit.length(layer.has_value());
// CHECK-NEXT: if (layer) {
// CHECK-NEXT: {{^}}    visit(layer->weight);
// CHECK-NEXT: {{^}}    visit(layer->bias);
// CHECK-NEXT: {{^}}  }
// CHECK: visit_arguments(inputs, arguments.x, arguments.pair, arguments.layer);
// CHECK: .key("pair[1]", std::get<1>(arguments.pair))
// CHECK: visit_arguments(refill, in[0], captured_pair, captured_layer);
// CHECK: return ::app::positional(in[0], captured_pair, captured_layer);
GRAPHED(x: f32[2], pair: {f32[1], key, {f32[2], f32[3] * 4}}, layer: {weight: f32[2], bias: f32[2]})
torch::Tensor positional(torch::Tensor x, std::tuple<torch::Tensor, int, std::pair<torch::Tensor, std::array<torch::Tensor, 4>>> pair,
                         const std::optional<Layer<torch::Tensor>>& layer);

// CHECK: {"grid", /*count=*/2},
// CHECK-NEXT: {"grid[0]", /*count=*/3},
// CHECK-NEXT: {"grid[1]", /*count=*/3},
// CHECK-NEXT: {"list", /*count=*/2},
// CHECK: visit.each(grid, [&](auto& element) {
// CHECK-NEXT: visit.each(element, visit);
// CHECK: auto captured_more = arguments.more.vec();
GRAPHED(grid: {f32[2] * 3} * 2, list: f32[2] * 2, more: {weight: f32[2], bias: f32[2]} * 2)
torch::Tensor lists(std::vector<std::vector<torch::Tensor>> grid, c10::List<torch::Tensor> list,
                    c10::ArrayRef<Layer<torch::Tensor>> more);

// CHECK: constexpr int64_t features_shape[] = {2, 8, 4};
// CHECK-NEXT: constexpr int64_t features__shape[] = {2, 16};
// CHECK: {"features[0]", at::kFloat, features_shape, graphed::impl::flags::grad},
// CHECK-NEXT: {"features[1]", at::kFloat, features__shape},
// CHECK-NEXT: {"layers[0].weight", at::kFloat, layers_weight_shape},
// CHECK: {"features", /*count=*/2},
// CHECK-NEXT: {"layers", /*count=*/2},
// CHECK: visit.each(features, visit);
// CHECK-NEXT: visit.each(layers, [&](auto& element) {
// CHECK: .key("ns[0]", std::get<0>(arguments.ns))
// CHECK-NEXT: .constant("ns[1]", std::get<1>(arguments.ns));
GRAPHED(features: {f32[2, 8, 4] grad, f32[2, 16]}, layers: {{weight: f32[3], bias: f32[]}, {weight: f32[4], bias: f32[]}}, ns: {key, const})
torch::Tensor by_element(const std::vector<torch::Tensor>& features, const std::vector<Layer<torch::Tensor>>& layers, std::array<int, 2> ns);

// CHECK: visit.length(a.size());
// CHECK-NEXT: visit.at(a, "x", /*tensors=*/1, visit);
// CHECK-NEXT: visit.at(a, "y", /*tensors=*/1, visit);
// CHECK-NEXT: visit.length(b.size());
// CHECK-NEXT: visit.at(b, "only", /*tensors=*/2, [&](auto& element) {
GRAPHED(a: {y: f32[2], x: f32[3]}, b: {only: {weight: f32[1], bias: f32[1]}}, c: {x: f32[2] * 2}, d: {x: f32[2]})
torch::Tensor maps(const std::map<std::string, torch::Tensor>& a, const std::unordered_map<std::string, Layer<torch::Tensor>>& b,
                   const c10::Dict<std::string, c10::List<torch::Tensor>>& c, const torch::OrderedDict<std::string, torch::Tensor>& d);

// CHECK: constexpr auto visit_result = [](auto& visit, auto& result) {
// CHECK-NEXT: visit.each_value(std::get<0>(result), [&](auto& element) {
// CHECK-NEXT: if (element) {
// CHECK-NEXT: visit(*element);
// CHECK: return graphed::impl::packed([&] { return ::app::returned(in[0]); }, visit_result, form);
// CHECK: form = graph->form(form);
// CHECK: return graphed::impl::unpack(*form, visit_result, ReturnedFunction::forward(*graph, inputs));
// CHECK: return call.original([&] { return ::app::returned(arguments.x); }, visit_result);
GRAPHED(x: f32[2])
std::pair<std::map<std::string, std::optional<torch::Tensor>>, torch::Tensor> returned(const torch::Tensor& x);

// Each call returns what the callable assigns; live scalars stay the caller's.
struct Changing {
  torch::Tensor h;
  std::vector<torch::Tensor> layers;
  graphed::Scalar rate;
};
// CHECK: constexpr auto visit_result = [](auto& visit, auto& result) {
// CHECK-NEXT: visit(result.result);
// CHECK-NEXT: visit(result.state.h);
// CHECK-NEXT: visit.each(result.state.layers, visit);
// CHECK-NEXT: visit.each(result.both, visit);
// CHECK-NEXT: };
// CHECK: struct Outcome {
// CHECK-NEXT: signature::result result;
// CHECK-NEXT: std::remove_reference_t<signature::argument<1>> state;
// CHECK-NEXT: std::remove_reference_t<signature::argument<2>> both;
// CHECK-NEXT: };
// CHECK: std::shared_ptr<const Outcome> form;
// CHECK: return Outcome{::app::changed(in[0], captured_state, captured_both), captured_state, captured_both};
// CHECK: auto outcome = graphed::impl::unpack(*form, visit_result, ChangedFunction::forward(*graph, inputs));
// CHECK-NEXT: arguments.state.h = std::move(outcome.state.h);
// CHECK-NEXT: arguments.state.layers = std::move(outcome.state.layers);
// CHECK-NEXT: arguments.both = std::move(outcome.both);
// CHECK-NEXT: return std::move(outcome.result);
// CHECK: return Outcome{::app::changed(arguments.x, arguments.state, arguments.both), arguments.state, arguments.both};
// CHECK: return std::move(outcome.result);
GRAPHED(x: f32[2], state: {h: f32[2], layers: f32[2] * 2, rate: live}, both: f32[2] * 2)
torch::Tensor changed(const torch::Tensor& x, Changing& state, std::array<torch::Tensor, 2>& both);

// Instead of numbers, a graph gives the tensors that they are read of.
struct Measured {
  torch::Tensor logits;
  double loss;
  std::vector<float> each;
};
// CHECK: /*slots=*/2, /*pool=*/nullptr, /*step=*/false, /*grads_in_graph=*/false, /*host_values=*/true};
// CHECK: constexpr auto visit_result = [](auto& visit, auto& result) {
// CHECK-NEXT: visit(std::get<0>(result));
// CHECK-NEXT: visit(std::get<1>(result).logits);
// CHECK-NEXT: visit(std::get<1>(result).loss);
// CHECK-NEXT: visit.each(std::get<1>(result).each, visit);
// CHECK-NEXT: };
GRAPHED(x: f32[2])
std::pair<bool, Measured> numbers(const torch::Tensor& x);
}  // namespace app
