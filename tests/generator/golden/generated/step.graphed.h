// Written by graphgen 0.1.0 from step.h. Change that file, not this one.
#pragma once

#include "step.h"

#include <graphed/callable.h>
#include <graphed/impl/engine.h>
#include <graphed/impl/object.h>
#include <graphed/version.h>

static_assert(GRAPHED_VERSION == 100, "this file was written for graphed 0.1.0: run graphgen again");

// A warning that a function is deprecated is for those who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// GRAPHED(x: f32[128, 3], y: f32[128, 2]; step, pool = training, slots = 1, strict)
template <>
class graphed::callable<&::app::Trainer::update> {
 public:
  using signature = graphed::impl::Signature<decltype(&::app::Trainer::update)>;

  explicit callable(graphed::impl::ObjectHolder<::app::Trainer> object);
  template <class Given = graphed::impl::NoObject>
  callable() : callable(Given()) {}

  // Calls app::Trainer::update: the first calls run it as it is, later ones replay a graph of it.
  signature::result operator()(signature::argument<0> x, signature::argument<1> y) const;

  // Captures ahead what such calls need, for every declared size. No tensor, gradient or random state changes.
  void prepare(signature::argument<0> x, signature::argument<1> y) const;

  // What the captures of prepare() hold: makes them, and drops them.
  graphed::Estimate estimate(signature::argument<0> x, signature::argument<1> y) const;

  graphed::Statistics stats() const { return engine_.stats(); }
  // Text for people: the captures, and why calls did not replay one.
  std::string explain() const { return engine_.explain(); }
  void reset() { engine_.reset(); }

 private:
  graphed::impl::ObjectHolder<::app::Trainer> object_;
  graphed::impl::Engine engine_;
};

#pragma GCC diagnostic pop
