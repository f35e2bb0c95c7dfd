// Written by graphgen 0.1.0 from policy.h. Change that file, not this one.
#include "policy.graphed.h"

#include <graphed/glue.h>

#include <utility>

// What is named here may be deprecated, which is for those to hear who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace graphed {
namespace {
namespace policy_impl_loss_glue {

// What each call's tensors are checked against; a call that does not fit runs the plain callable.
constexpr int64_t obs_shape[] = {64, 17};
constexpr int64_t actions_shape[] = {64, 6};
constexpr graphed::tensor_spec tensors[] = {
    {"obs", at::kFloat, obs_shape},
    {"actions", at::kFloat, actions_shape},
};
constexpr graphed::sample_spec samples[] = {{tensors}};
constexpr graphed::callable_spec spec{
    "PolicyImpl::loss", "policy.h", 8, samples,
    /*warmup=*/3, graphed::output_policy::keep, /*strict=*/false};

// The autograd node of one call.
struct PolicyImplLossFunction final : graphed::function {
  // Stages the arguments into the static inputs and launches the forward graph.
  static graphed::tensor_list forward(graphed::graph& graph, const graphed::inputs& inputs) {
    graph.stage(inputs);
    graph.replay();
    return graph.outputs<PolicyImplLossFunction>(inputs);
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

} // namespace policy_impl_loss_glue
} // namespace
} // namespace graphed

graphed::callable<&PolicyImpl::loss>::callable(graphed::object<PolicyImpl> object)
    : object_(std::move(object)), engine_(policy_impl_loss_glue::spec, &*object_) {}

auto graphed::callable<&PolicyImpl::loss>::operator()(
    signature::argument<0> obs,
    signature::argument<1> actions) -> signature::result {
  const graphed::inputs inputs(obs, actions);
  // What a capture records: the callable on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::packed([&] { return object_->loss(in[0], in[1]); });
  };
  graphed::call call(engine_, inputs);
  if (auto* graph = call.captured(body)) {
    return graphed::unpack<signature::result>(policy_impl_loss_glue::PolicyImplLossFunction::forward(*graph, inputs));
  }
  // A warm-up, or a call that no graph can serve.
  return call.plain([&] { return object_->loss(obs, actions); });
}

void graphed::callable<&PolicyImpl::loss>::prepare(
    signature::argument<0> obs,
    signature::argument<1> actions) {
  const graphed::inputs inputs(obs, actions);
  // What a capture records: the callable on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::packed([&] { return object_->loss(in[0], in[1]); });
  };
  graphed::call::prepare(engine_, inputs, body);
}

#pragma GCC diagnostic pop
