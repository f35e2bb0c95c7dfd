// Written by graphgen 0.1.0 from source.cpp. Change that file, not this one.
// To be included by that file alone, after its last annotated declaration.
#pragma once

#include <graphed/impl/glue.h>

static_assert(GRAPHED_VERSION == 100, "this file was written for graphed 0.1.0: run graphgen again");

// A warning that a function is deprecated is for those who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace graphed::rotated_glue_in_source {
constexpr auto function() {
  return graphed::overload<at::Tensor (const at::Tensor &, const at::Tensor &)>(&::rotated);
}
}  // namespace graphed::rotated_glue_in_source

namespace graphed::rotated_glue_in_source {
namespace {

using signature = graphed::impl::Signature<decltype(graphed::rotated_glue_in_source::function())>;

// Each call's tensors are compared with these. Where they do not match, the original function runs.
constexpr int64_t x_shape[] = {16, 3};
constexpr int64_t w_shape[] = {3, 3};
constexpr graphed::impl::TensorSpec tensors[] = {
    {"x", at::kFloat, x_shape, graphed::impl::flags::grad},
    {"w", at::kFloat, w_shape, graphed::impl::flags::grad},
};
constexpr graphed::impl::SampleSpec samples[] = {{tensors}};
constexpr graphed::impl::CallableSpec spec{
    "rotated", "source.cpp", /*line=*/10,
    /*annotation=*/
    "GRAPHED(x: f32[16, 3] grad, w: f32[3, 3] grad)",
    samples,
    /*warmup=*/3, graphed::OutputPolicy::Keep, /*strict=*/false};

// The autograd node of one call.
struct RotatedFunction final : graphed::impl::AutogradFunction {
  // Stages the arguments into the static inputs and launches the forward graph.
  static graphed::tensor_list forward(graphed::impl::ForwardGraph& graph, const graphed::impl::Inputs& inputs) {
    graph.stage(inputs);
    graph.replay();
    return graph.outputs<RotatedFunction>(inputs);
  }

  // Stages the incoming gradients and launches the backward graph.
  graphed::tensor_list apply(graphed::tensor_list&& gradients) override {
    auto graph = backward(gradients);
    if (!graph) {
      return original_backward(gradients);  // by eager autograd
    }
    graph->stage(gradients);
    graph->replay();
    return graph->gradients(gradients);
  }
};

// The arguments of one call.
struct Arguments {
  signature::argument<0>& x;
  signature::argument<1>& w;
};

// Makes one call; or captures ahead what such calls need.
template <bool Ahead>
auto run(const graphed::impl::Engine& engine, const Arguments& arguments) {
  const graphed::impl::Inputs inputs(arguments.x, arguments.w);
  // What a capture records: the original function on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::impl::packed([&] { return ::rotated(in[0], in[1]); });
  };
  if constexpr (Ahead) {
    graphed::impl::Call::prepare(engine, inputs, body);
  } else {
    graphed::impl::Call call(engine, inputs);
    if (auto* graph = call.captured(body)) {
      return graphed::unpack<signature::result>(RotatedFunction::forward(*graph, inputs));
    }
    // A warm-up, or a call that no graph can serve.
    return call.original([&] { return ::rotated(arguments.x, arguments.w); });
  }
}

}  // namespace
}  // namespace graphed::rotated_glue_in_source

// GRAPHED(x: f32[16, 3] grad, w: f32[3, 3] grad)
template <>
class graphed::callable<graphed::rotated_glue_in_source::function()> {
 public:
  using signature = graphed::impl::Signature<decltype(graphed::rotated_glue_in_source::function())>;

  callable();

  // Calls rotated: the first calls run it as it is, later ones replay a graph of it.
  signature::result operator()(signature::argument<0> x, signature::argument<1> w) const;

  // Captures ahead what such calls need, for every declared size. No tensor, gradient or random state changes.
  void prepare(signature::argument<0> x, signature::argument<1> w) const;

  // What the captures of prepare() hold: makes them, and drops them.
  graphed::Estimate estimate(signature::argument<0> x, signature::argument<1> w) const;

  graphed::Statistics stats() const { return engine_.stats(); }
  // Text for people: the captures, and why calls did not replay one.
  std::string explain() const { return engine_.explain(); }
  void reset() { engine_.reset(); }

 private:
  graphed::impl::Engine engine_;
};

inline graphed::callable<graphed::rotated_glue_in_source::function()>::callable() : engine_(rotated_glue_in_source::spec) {}

inline auto graphed::callable<graphed::rotated_glue_in_source::function()>::operator()(
    signature::argument<0> x, signature::argument<1> w) const -> signature::result {
  return rotated_glue_in_source::run</*Ahead=*/false>(engine_, {x, w});
}

inline void graphed::callable<graphed::rotated_glue_in_source::function()>::prepare(
    signature::argument<0> x, signature::argument<1> w) const {
  rotated_glue_in_source::run</*Ahead=*/true>(engine_, {x, w});
}

inline graphed::Estimate graphed::callable<graphed::rotated_glue_in_source::function()>::estimate(
    signature::argument<0> x, signature::argument<1> w) const {
  graphed::impl::Engine apart = engine_.apart();
  rotated_glue_in_source::run</*Ahead=*/true>(apart, {x, w});
  return apart.estimate();
}

#pragma GCC diagnostic pop
