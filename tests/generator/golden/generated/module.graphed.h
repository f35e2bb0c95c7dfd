// Written by graphgen 0.1.0 from module.h. Change that file, not this one.
#pragma once

#include "module.h"

#include <graphed/callable.h>
#include <graphed/impl/engine.h>
#include <graphed/impl/object.h>
#include <graphed/version.h>

static_assert(GRAPHED_VERSION == 100, "this file was written for graphed 0.1.0: run graphgen again");

// A warning that a function is deprecated is for those who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// GRAPHED(obs: f32[64, 17], actions: f32[64, 6])
template <>
class graphed::callable<&::PolicyImpl::loss> {
 public:
  using signature = graphed::impl::Signature<decltype(&::PolicyImpl::loss)>;

  explicit callable(graphed::impl::ObjectHolder<::PolicyImpl> object);
  template <class Given = graphed::impl::NoObject>
  callable() : callable(Given()) {}

  // Calls PolicyImpl::loss: the first calls run it as it is, later ones replay a graph of it.
  signature::result operator()(signature::argument<0> obs, signature::argument<1> actions) const;

  // Captures ahead what such calls need, for every declared size. No tensor, gradient or random state changes.
  void prepare(signature::argument<0> obs, signature::argument<1> actions) const;

  // What the captures of prepare() hold: makes them, and drops them.
  graphed::Estimate estimate(signature::argument<0> obs, signature::argument<1> actions) const;

  graphed::Statistics stats() const { return engine_.stats(); }
  // Text for people: the captures, and why calls did not replay one.
  std::string explain() const { return engine_.explain(); }
  void reset() { engine_.reset(); }

 private:
  graphed::impl::ObjectHolder<::PolicyImpl> object_;
  graphed::impl::Engine engine_;
};

#pragma GCC diagnostic pop
