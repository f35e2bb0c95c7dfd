// Written by graphgen 0.1.0 from padded.h. Change that file, not this one.
#pragma once

#include "padded.h"

#include <graphed/callable.h>
#include <graphed/impl/engine.h>
#include <graphed/version.h>

static_assert(GRAPHED_VERSION == 100, "this file was written for graphed 0.1.0: run graphgen again");

// A warning that a function is deprecated is for those who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace graphed::embed_glue_of_search_in_padded {
constexpr auto function() {
  return graphed::overload<at::Tensor (const at::Tensor &, const at::Tensor &, ::search::Pooling)>(&::search::embed);
}
}  // namespace graphed::embed_glue_of_search_in_padded

// GRAPHED(tokens: i64[B, T], mask: bool[B, T], pooling: key; B in {1, 8} pad, T in {32, 128} pad repeat, outputs = clone)
template <>
class graphed::callable<graphed::embed_glue_of_search_in_padded::function()> {
 public:
  using signature = graphed::impl::Signature<decltype(graphed::embed_glue_of_search_in_padded::function())>;

  callable();

  // Calls search::embed: the first calls run it as it is, later ones replay a graph of it.
  signature::result operator()(
      signature::argument<0> tokens,
      signature::argument<1> mask,
      signature::argument<2> pooling = ::search::Pooling::kMean) const;

  // Captures ahead what such calls need, for every declared size. No tensor, gradient or random state changes.
  void prepare(
      signature::argument<0> tokens,
      signature::argument<1> mask,
      signature::argument<2> pooling = ::search::Pooling::kMean) const;

  // What the captures of prepare() hold: makes them, and drops them.
  graphed::Estimate estimate(
      signature::argument<0> tokens,
      signature::argument<1> mask,
      signature::argument<2> pooling = ::search::Pooling::kMean) const;

  graphed::Statistics stats() const { return engine_.stats(); }
  // Text for people: the captures, and why calls did not replay one.
  std::string explain() const { return engine_.explain(); }
  void reset() { engine_.reset(); }

 private:
  graphed::impl::Engine engine_;
};

#pragma GCC diagnostic pop
