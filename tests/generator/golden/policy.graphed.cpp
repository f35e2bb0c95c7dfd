// Written by graphgen 0.1.0 from policy.h. Change that file, not this one.
#include "policy.graphed.h"

#include <graphed/glue.h>

namespace graphed {
namespace {
namespace policy_glue {

// What each call's tensors are checked against; a call that does not fit runs the plain callable.
constexpr int64_t obs_shape[] = {64, 128};
constexpr int64_t w_shape[] = {128, 10};
constexpr graphed::tensor_spec tensors[] = {
    {"obs", at::kFloat, obs_shape},
    {"w", at::kFloat, w_shape, graphed::flags::grad},
};
constexpr graphed::sample_spec samples[] = {{tensors}};
constexpr graphed::callable_spec spec{
    "app::policy", "policy.h", 13, samples,
    /*warmup=*/3, graphed::output_policy::keep, /*strict=*/false, graphed::replay_policy::automatic};

// The autograd node of one call.
struct PolicyFunction final : graphed::function {
  // Stages the arguments into the static inputs and launches the forward graph.
  static graphed::tensor_list forward(graphed::graph& graph, const graphed::inputs& inputs) {
    graph.stage(inputs);
    graph.replay();
    return graph.outputs<PolicyFunction>(inputs);
  }

  // Stages the incoming gradients and launches the backward graph.
  graphed::tensor_list apply(graphed::tensor_list&& gradients) override {
    auto graph = backward(gradients);
    if (!graph) {
      return plain_backward(gradients);
    }
    graph->stage(gradients);
    graph->replay();
    return graph->gradients(gradients);
  }
};

} // namespace policy_glue
} // namespace
} // namespace graphed

graphed::callable<&app::policy>::callable() : engine_(policy_glue::spec) {}

auto graphed::callable<&app::policy>::operator()(signature::argument<0> obs, signature::argument<1> w) -> signature::result {
  const graphed::inputs inputs(obs, w);
  // What a capture records: the callable on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::packed([&] { return app::policy(in[0], in[1]); });
  };
  graphed::call call(engine_, inputs);
  if (auto* graph = call.captured(body)) {
    return graphed::unpack<signature::result>(policy_glue::PolicyFunction::forward(*graph, inputs));
  }
  // A warm-up, or a call that no graph can serve.
  return call.plain([&] { return app::policy(obs, w); });
}

void graphed::callable<&app::policy>::prepare(signature::argument<0> obs, signature::argument<1> w) {
  const graphed::inputs inputs(obs, w);
  // What a capture records: the callable on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::packed([&] { return app::policy(in[0], in[1]); });
  };
  graphed::call::prepare(engine_, inputs, body);
}
