// Written by graphgen 0.1.0 from step.h. Change that file, not this one.
#include "step.graphed.h"

#include <graphed/impl/glue.h>

#include <utility>

// A warning that a function is deprecated is for those who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace graphed::trainer_update_glue_of_app_in_step {
namespace {

using signature = graphed::impl::Signature<decltype(&::app::Trainer::update)>;

// Each call's tensors are compared with these. Where they do not match, the original function runs.
constexpr int64_t x_shape[] = {128, 3};
constexpr int64_t y_shape[] = {128, 2};
constexpr graphed::impl::TensorSpec tensors[] = {
    {"x", at::kFloat, x_shape},
    {"y", at::kFloat, y_shape},
};
constexpr graphed::impl::SampleSpec samples[] = {{tensors}};
constexpr graphed::impl::CallableSpec spec{
    "app::Trainer::update", "step.h", /*line=*/15,
    /*annotation=*/
    "GRAPHED(x: f32[128, 3], y: f32[128, 2]; step, pool = training, slots = 1, strict)",
    samples,
    /*warmup=*/3, graphed::OutputPolicy::Keep, /*strict=*/true,
    /*slots=*/1, /*pool=*/"training", /*step=*/true};

// The members of the object that a call depends on: other values select another capture.
constexpr const char* watched_names[] = {"net_", "scale_"};
void watch(graphed::impl::WatchedMembers& members, const ::app::Trainer& object);
// An explicit instantiation may name private members.
template <class... Members>
struct watched_members {
  friend void watch(graphed::impl::WatchedMembers& members, const ::app::Trainer& object) { members.visit<Members...>(object); }
};
template struct watched_members<
    graphed::impl::WatchedMember<&::app::Trainer::net_>,
    graphed::impl::WatchedMember<&::app::Trainer::scale_>>;

// The autograd node of one call.
struct TrainerUpdateFunction final : graphed::impl::AutogradFunction {
  // Stages the arguments into the static inputs and launches the forward graph.
  static graphed::tensor_list forward(graphed::impl::ForwardGraph& graph, const graphed::impl::Inputs& inputs) {
    graph.stage(inputs);
    graph.replay();
    return graph.outputs<TrainerUpdateFunction>(inputs);
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
  signature::argument<1>& y;
};

// Makes one call; or captures ahead what such calls need.
template <bool Ahead>
auto run(const graphed::impl::Engine& engine, ::app::Trainer& object, const Arguments& arguments) {
  const graphed::impl::Inputs inputs(arguments.x, arguments.y);
  // What a capture records: the original function on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::impl::packed([&] { return object.update(in[0], in[1]); });
  };
  if constexpr (Ahead) {
    graphed::impl::Call::prepare(engine, inputs, body);
  } else {
    graphed::impl::Call call(engine, inputs);
    if (auto* graph = call.captured(body)) {
      return graphed::unpack<signature::result>(TrainerUpdateFunction::forward(*graph, inputs));
    }
    // A warm-up, or a call that no graph can serve.
    return call.original([&] { return object.update(arguments.x, arguments.y); });
  }
}

}  // namespace
}  // namespace graphed::trainer_update_glue_of_app_in_step

graphed::callable<&::app::Trainer::update>::callable(graphed::impl::ObjectHolder<::app::Trainer> object)
    : object_(std::move(object)),
      engine_(trainer_update_glue_of_app_in_step::spec, {*object_, trainer_update_glue_of_app_in_step::watched_names, trainer_update_glue_of_app_in_step::watch}) {}

auto graphed::callable<&::app::Trainer::update>::operator()(
    signature::argument<0> x, signature::argument<1> y) const -> signature::result {
  return trainer_update_glue_of_app_in_step::run</*Ahead=*/false>(engine_, *object_, {x, y});
}

void graphed::callable<&::app::Trainer::update>::prepare(
    signature::argument<0> x, signature::argument<1> y) const {
  trainer_update_glue_of_app_in_step::run</*Ahead=*/true>(engine_, *object_, {x, y});
}

graphed::Estimate graphed::callable<&::app::Trainer::update>::estimate(
    signature::argument<0> x, signature::argument<1> y) const {
  graphed::impl::Engine apart = engine_.apart();
  trainer_update_glue_of_app_in_step::run</*Ahead=*/true>(apart, *object_, {x, y});
  return apart.estimate();
}

#pragma GCC diagnostic pop
