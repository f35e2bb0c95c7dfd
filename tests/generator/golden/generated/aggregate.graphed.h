// Written by graphgen 0.1.0 from aggregate.h. Change that file, not this one.
#pragma once

#include "aggregate.h"

#include <graphed/callable.h>
#include <graphed/impl/engine.h>
#include <graphed/version.h>

static_assert(GRAPHED_VERSION == 100, "this file was written for graphed 0.1.0: run graphgen again");

// A warning that a function is deprecated is for those who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace graphed::losses_glue_of_dqn_in_aggregate {
constexpr auto function() {
  return graphed::overload<::dqn::Losses (const ::dqn::Batch &, const std::optional<at::Tensor> &, const ::graphed::Scalar &)>(&::dqn::losses);
}
}  // namespace graphed::losses_glue_of_dqn_in_aggregate

// GRAPHED(batch: {obs: {image: f32[32, 84], speed: f32[32]}, action: i64[32], reward: f32[32], states: f32[32, 16] * 2}, weights: ...)
template <>
class graphed::callable<graphed::losses_glue_of_dqn_in_aggregate::function()> {
 public:
  using signature = graphed::impl::Signature<decltype(graphed::losses_glue_of_dqn_in_aggregate::function())>;

  callable();

  // Calls dqn::losses: the first calls run it as it is, later ones replay a graph of it.
  signature::result operator()(signature::argument<0> batch, signature::argument<1> weights, signature::argument<2> gamma) const;

  // Captures ahead what such calls need, for every declared size. No tensor, gradient or random state changes.
  void prepare(signature::argument<0> batch, signature::argument<1> weights, signature::argument<2> gamma) const;

  // What the captures of prepare() hold: makes them, and drops them.
  graphed::Estimate estimate(signature::argument<0> batch, signature::argument<1> weights, signature::argument<2> gamma) const;

  graphed::Statistics stats() const { return engine_.stats(); }
  // Text for people: the captures, and why calls did not replay one.
  std::string explain() const { return engine_.explain(); }
  void reset() { engine_.reset(); }

 private:
  graphed::impl::Engine engine_;
};

#pragma GCC diagnostic pop
