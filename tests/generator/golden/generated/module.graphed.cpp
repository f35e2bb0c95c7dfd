// Written by graphgen 0.1.0 from module.h. Change that file, not this one.
#include "module.graphed.h"

#include <graphed/impl/glue.h>

#include <utility>

// A warning that a function is deprecated is for those who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace graphed::policy_impl_loss_glue_in_module {
namespace {

using signature = graphed::impl::Signature<decltype(&::PolicyImpl::loss)>;

// Each call's tensors are compared with these. Where they do not match, the original function runs.
constexpr int64_t obs_shape[] = {64, 17};
constexpr int64_t actions_shape[] = {64, 6};
constexpr graphed::impl::TensorSpec tensors[] = {
    {"obs", at::kFloat, obs_shape},
    {"actions", at::kFloat, actions_shape},
};
constexpr graphed::impl::SampleSpec samples[] = {{tensors}};
constexpr graphed::impl::CallableSpec spec{
    "PolicyImpl::loss", "module.h", /*line=*/11,
    /*annotation=*/
    "GRAPHED(obs: f32[64, 17], actions: f32[64, 6])",
    samples,
    /*warmup=*/3, graphed::OutputPolicy::Keep, /*strict=*/false};

// The members of the object that a call depends on: other values select another capture.
constexpr const char* watched_names[] = {"net"};
void watch(graphed::impl::WatchedMembers& members, const ::PolicyImpl& object) {
  members.visit<
      graphed::impl::WatchedMember<&::PolicyImpl::net>>(object);
}

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
      return original_backward(gradients);  // by eager autograd
    }
    graph->stage(gradients);
    graph->replay();
    return graph->gradients(gradients);
  }
};

// The arguments of one call.
struct Arguments {
  signature::argument<0>& obs;
  signature::argument<1>& actions;
};

// Makes one call; or captures ahead what such calls need.
template <bool Ahead>
auto run(const graphed::impl::Engine& engine, ::PolicyImpl& object, const Arguments& arguments) {
  const graphed::impl::Inputs inputs(arguments.obs, arguments.actions);
  // What a capture records: the original function on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::impl::packed([&] { return object.loss(in[0], in[1]); });
  };
  if constexpr (Ahead) {
    graphed::impl::Call::prepare(engine, inputs, body);
  } else {
    graphed::impl::Call call(engine, inputs);
    if (auto* graph = call.captured(body)) {
      return graphed::unpack<signature::result>(PolicyImplLossFunction::forward(*graph, inputs));
    }
    // A warm-up, or a call that no graph can serve.
    return call.original([&] { return object.loss(arguments.obs, arguments.actions); });
  }
}

}  // namespace
}  // namespace graphed::policy_impl_loss_glue_in_module

graphed::callable<&::PolicyImpl::loss>::callable(graphed::impl::ObjectHolder<::PolicyImpl> object)
    : object_(std::move(object)),
      engine_(policy_impl_loss_glue_in_module::spec, &*object_, {*object_, policy_impl_loss_glue_in_module::watched_names, policy_impl_loss_glue_in_module::watch}) {}

auto graphed::callable<&::PolicyImpl::loss>::operator()(
    signature::argument<0> obs, signature::argument<1> actions) const -> signature::result {
  return policy_impl_loss_glue_in_module::run</*Ahead=*/false>(engine_, *object_, {obs, actions});
}

void graphed::callable<&::PolicyImpl::loss>::prepare(
    signature::argument<0> obs, signature::argument<1> actions) const {
  policy_impl_loss_glue_in_module::run</*Ahead=*/true>(engine_, *object_, {obs, actions});
}

graphed::Estimate graphed::callable<&::PolicyImpl::loss>::estimate(
    signature::argument<0> obs, signature::argument<1> actions) const {
  graphed::impl::Engine apart = engine_.apart();
  policy_impl_loss_glue_in_module::run</*Ahead=*/true>(apart, *object_, {obs, actions});
  return apart.estimate();
}

#pragma GCC diagnostic pop
