// Written by graphgen 0.1.0 from policy.h. Change that file, not this one.
#include "policy.graphed.h"

#include <graphed/impl/glue.h>

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
constexpr graphed::impl::TensorSpec tensors[] = {
    {"obs", at::kFloat, obs_shape},
    {"actions", at::kFloat, actions_shape},
};
constexpr graphed::impl::SampleSpec samples[] = {{tensors}};
constexpr graphed::impl::CallableSpec spec{
    "PolicyImpl::loss", "policy.h", 8, samples,
    /*warmup=*/3, graphed::OutputPolicy::Keep, /*strict=*/false};

// The autograd node of one call.
struct PolicyImplLossFunction final : graphed::impl::AutogradFunction {
  // Stages the arguments into the static inputs and launches the forward graph.
  static graphed::tensor_list forward(graphed::impl::ForwardGraph& graph, const graphed::impl::Inputs& inputs) {
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

graphed::callable<&PolicyImpl::loss>::callable(graphed::impl::ObjectHolder<PolicyImpl> object)
    : object_(std::move(object)), engine_(policy_impl_loss_glue::spec, &*object_) {}

auto graphed::callable<&PolicyImpl::loss>::operator()(
    signature::argument<0> obs,
    signature::argument<1> actions) -> signature::result {
  const graphed::impl::Inputs inputs(obs, actions);
  // What a capture records: the callable on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::impl::packed([&] { return object_->loss(in[0], in[1]); });
  };
  graphed::impl::Call call(engine_, inputs);
  if (auto* graph = call.captured(body)) {
    return graphed::unpack<signature::result>(policy_impl_loss_glue::PolicyImplLossFunction::forward(*graph, inputs));
  }
  // A warm-up, or a call that no graph can serve.
  return call.plain([&] { return object_->loss(obs, actions); });
}

void graphed::callable<&PolicyImpl::loss>::prepare(
    signature::argument<0> obs,
    signature::argument<1> actions) {
  const graphed::impl::Inputs inputs(obs, actions);
  // What a capture records: the callable on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::impl::packed([&] { return object_->loss(in[0], in[1]); });
  };
  graphed::impl::Call::prepare(engine_, inputs, body);
}

#pragma GCC diagnostic pop
