// Written by graphgen 0.1.0 from policy.h. Change that file, not this one.
#pragma once

#include "policy.h"

#include <graphed/callable.h>
#include <graphed/impl/engine.h>
#include <graphed/impl/object.h>
#include <graphed/version.h>

static_assert(GRAPHED_VERSION == 100, "this file was written for graphed 0.1.0: run graphgen again");

// What is named here may be deprecated, which is for those to hear who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// GRAPHED(obs: f32[64, 17], actions: f32[64, 6])
template <>
class graphed::callable<&PolicyImpl::loss> {
 public:
  using signature = graphed::impl::Signature<decltype(&PolicyImpl::loss)>;

  explicit callable(graphed::impl::ObjectHolder<PolicyImpl> object);

  // Does what PolicyImpl::loss does: plainly at first, then by one graph launch.
  signature::result operator()(signature::argument<0> obs, signature::argument<1> actions);

  // Captures ahead what such calls will need, every declared size, and leaves no trace.
  void prepare(signature::argument<0> obs, signature::argument<1> actions);

  graphed::Statistics stats() const { return engine_.stats(); }
  // For people: which captures there are, and why calls run plainly.
  std::string explain() const { return engine_.explain(); }
  void reset() { engine_.reset(); }

 private:
  graphed::impl::ObjectHolder<PolicyImpl> object_;
  graphed::impl::Engine engine_;
};

#pragma GCC diagnostic pop
