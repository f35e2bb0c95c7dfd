// Written by graphgen 0.1.0 from aggregate.h. Change that file, not this one.
#include "aggregate.graphed.h"

#include <graphed/impl/glue.h>

// A warning that a function is deprecated is for those who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace graphed::losses_glue_of_dqn_in_aggregate {
namespace {

using signature = graphed::impl::Signature<decltype(graphed::losses_glue_of_dqn_in_aggregate::function())>;

// Each call's tensors are compared with these. Where they do not match, the original function runs.
constexpr int64_t batch_obs_image_shape[] = {32, 84};
constexpr int64_t batch_obs_speed_shape[] = {32};
constexpr int64_t batch_action_shape[] = {32};
constexpr int64_t batch_reward_shape[] = {32};
constexpr int64_t batch_states_shape[] = {32, 16};
constexpr int64_t weights_shape[] = {32};
constexpr graphed::impl::TensorSpec tensors[] = {
    {"batch.obs.image", at::kFloat, batch_obs_image_shape},
    {"batch.obs.speed", at::kFloat, batch_obs_speed_shape},
    {"batch.action", at::kLong, batch_action_shape},
    {"batch.reward", at::kFloat, batch_reward_shape},
    {"batch.states[0]", at::kFloat, batch_states_shape},
    {"batch.states[1]", at::kFloat, batch_states_shape},
    {"weights", at::kFloat, weights_shape, graphed::impl::flags::optional},
};
constexpr graphed::impl::ListSpec lists[] = {
    {"batch.obs", /*count=*/2},
    {"batch.states", /*count=*/2},
};
constexpr graphed::impl::SampleSpec samples[] = {{tensors, lists}};
constexpr graphed::impl::CallableSpec spec{
    "dqn::losses", "aggregate.h", /*line=*/30,
    /*annotation=*/
    "GRAPHED(batch: {obs: {image: f32[32, 84], speed: f32[32]}, action: i64[32], reward: f32[32], "
    "states: f32[32, 16] * 2}, weights: f32[32] optional, gamma: live)",
    samples,
    /*warmup=*/3, graphed::OutputPolicy::Keep, /*strict=*/false};

// Visits the tensors of the arguments in the order of the table.
constexpr auto visit_arguments = [](auto& visit, auto& batch, auto& weights) {
  visit.length(batch.obs.size());
  visit.at(batch.obs, "image", /*tensors=*/1, visit);
  visit.at(batch.obs, "speed", /*tensors=*/1, visit);
  visit(batch.action);
  visit(batch.reward);
  visit.each(batch.states, visit);
  visit(weights);
};

// Visits the tensors of a result.
constexpr auto visit_result = [](auto& visit, auto& result) {
  visit(result.total);
  visit.each(result.by_head, visit);
};

// The autograd node of one call.
struct LossesFunction final : graphed::impl::AutogradFunction {
  // Stages the arguments into the static inputs and launches the forward graph.
  static graphed::tensor_list forward(graphed::impl::ForwardGraph& graph, const graphed::impl::Inputs& inputs) {
    graph.stage(inputs);
    graph.replay();
    return graph.outputs<LossesFunction>(inputs);
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
  signature::argument<0>& batch;
  signature::argument<1>& weights;
  signature::argument<2>& gamma;
};

// Makes one call; or captures ahead what such calls need.
template <bool Ahead>
auto run(const graphed::impl::Engine& engine, const Arguments& arguments) {
  graphed::impl::Inputs inputs;
  visit_arguments(inputs, arguments.batch, arguments.weights);
  const auto scalars = [&] { return graphed::impl::Scalars().live("gamma", arguments.gamma); };
  std::shared_ptr<const signature::result> form;  // of the result: its lengths and keys
  // What a capture records: the original function on copies of the arguments that hold the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    auto captured_batch = arguments.batch;
    auto captured_weights = arguments.weights;
    graphed::impl::Refill refill(in);
    visit_arguments(refill, captured_batch, captured_weights);
    return graphed::impl::packed([&] {
      return ::dqn::losses(
          captured_batch, captured_weights, graphed::Scalar::over(in[7]));
    }, visit_result, form);
  };
  if constexpr (Ahead) {
    graphed::impl::Call::prepare(engine, inputs, body, form, scalars());
  } else {
    graphed::impl::Call call(engine, inputs, scalars());
    if (auto* graph = call.captured(body)) {
      form = graph->form(form);
      return graphed::impl::unpack(*form, visit_result, LossesFunction::forward(*graph, inputs));
    }
    // A warm-up, or a call that no graph can serve.
    return call.original([&] { return ::dqn::losses(arguments.batch, arguments.weights, arguments.gamma); }, visit_result);
  }
}

}  // namespace
}  // namespace graphed::losses_glue_of_dqn_in_aggregate

graphed::callable<graphed::losses_glue_of_dqn_in_aggregate::function()>::callable() : engine_(losses_glue_of_dqn_in_aggregate::spec) {}

auto graphed::callable<graphed::losses_glue_of_dqn_in_aggregate::function()>::operator()(
    signature::argument<0> batch, signature::argument<1> weights, signature::argument<2> gamma) const -> signature::result {
  return losses_glue_of_dqn_in_aggregate::run</*Ahead=*/false>(engine_, {batch, weights, gamma});
}

void graphed::callable<graphed::losses_glue_of_dqn_in_aggregate::function()>::prepare(
    signature::argument<0> batch, signature::argument<1> weights, signature::argument<2> gamma) const {
  losses_glue_of_dqn_in_aggregate::run</*Ahead=*/true>(engine_, {batch, weights, gamma});
}

graphed::Estimate graphed::callable<graphed::losses_glue_of_dqn_in_aggregate::function()>::estimate(
    signature::argument<0> batch, signature::argument<1> weights, signature::argument<2> gamma) const {
  graphed::impl::Engine apart = engine_.apart();
  losses_glue_of_dqn_in_aggregate::run</*Ahead=*/true>(apart, {batch, weights, gamma});
  return apart.estimate();
}

#pragma GCC diagnostic pop
