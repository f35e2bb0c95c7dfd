// Written by graphgen 0.1.0 from policy.h. Change that file, not this one.
#pragma once

#include "policy.h"

#include <graphed/callable.h>
#include <graphed/engine.h>
#include <graphed/version.h>

static_assert(GRAPHED_VERSION == 100, "this file was written for graphed 0.1.0: run graphgen again");

// GRAPHED(obs: f32[64, 128], w: f32[128, 10] grad)
template <>
class graphed::callable<&app::policy> {
 public:
  using signature = graphed::signature<decltype(&app::policy)>;

  callable();

  // Does what app::policy does: plainly at first, then by one graph launch.
  signature::result operator()(signature::argument<0> obs, signature::argument<1> w);

  // Captures ahead what such calls will need, every declared size, and leaves no trace.
  void prepare(signature::argument<0> obs, signature::argument<1> w);

  graphed::statistics stats() const { return engine_.stats(); }
  void reset() { engine_.reset(); }

 private:
  graphed::engine engine_;
};
