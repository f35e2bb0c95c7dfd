// Written by graphgen 0.1.0 from padded.h. Change that file, not this one.
#include "padded.graphed.h"

#include <graphed/impl/glue.h>

// A warning that a function is deprecated is for those who call it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace graphed::embed_glue_of_search_in_padded {
namespace {

using signature = graphed::impl::Signature<decltype(graphed::embed_glue_of_search_in_padded::function())>;

// Each call's tensors are compared with these. Where they do not match, the original function runs.
template <int64_t B, int64_t T>
struct sample {
  static constexpr int64_t tokens_shape[] = {B, T};
  static constexpr int64_t mask_shape[] = {B, T};
  static constexpr graphed::impl::TensorSpec tensors[] = {
      {"tokens", at::kLong, tokens_shape},
      {"mask", at::kBool, mask_shape},
  };
  static constexpr graphed::impl::PaddedVariable padded[] = {
      {"B", B, graphed::impl::PadFill::Zero},
      {"T", T, graphed::impl::PadFill::Repeat},
  };
  static constexpr graphed::impl::PaddedDim padded_dims[] = {
      {/*tensor=*/0, /*dim=*/0, /*variable=*/0},
      {/*tensor=*/0, /*dim=*/1, /*variable=*/1},
      {/*tensor=*/1, /*dim=*/0, /*variable=*/0},
      {/*tensor=*/1, /*dim=*/1, /*variable=*/1},
  };
};
constexpr graphed::impl::SampleSpec samples[] = {
    {sample<1, 32>::tensors, /*lists=*/{}, sample<1, 32>::padded, sample<1, 32>::padded_dims},
    {sample<1, 128>::tensors, /*lists=*/{}, sample<1, 128>::padded, sample<1, 128>::padded_dims},
    {sample<8, 32>::tensors, /*lists=*/{}, sample<8, 32>::padded, sample<8, 32>::padded_dims},
    {sample<8, 128>::tensors, /*lists=*/{}, sample<8, 128>::padded, sample<8, 128>::padded_dims},
};
constexpr graphed::impl::CallableSpec spec{
    "search::embed", "padded.h", /*line=*/14,
    /*annotation=*/
    "GRAPHED(tokens: i64[B, T], mask: bool[B, T], pooling: key; B in {1, 8} pad, T in {32, 128} pad "
    "repeat, outputs = clone)",
    samples,
    /*warmup=*/3, graphed::OutputPolicy::Clone, /*strict=*/false};

// The autograd node of one call.
struct EmbedFunction final : graphed::impl::AutogradFunction {
  // Stages the arguments into the static inputs and launches the forward graph.
  static graphed::tensor_list forward(graphed::impl::ForwardGraph& graph, const graphed::impl::Inputs& inputs) {
    graph.stage(inputs);
    graph.replay();
    return graph.outputs<EmbedFunction>(inputs);
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
  signature::argument<0>& tokens;
  signature::argument<1>& mask;
  signature::argument<2>& pooling;
};

// Makes one call; or captures ahead what such calls need.
template <bool Ahead>
auto run(const graphed::impl::Engine& engine, const Arguments& arguments) {
  const graphed::impl::Inputs inputs(arguments.tokens, arguments.mask);
  const auto scalars = [&] { return graphed::impl::Scalars().key("pooling", arguments.pooling); };
  // What a capture records: the original function on the static inputs.
  const auto body = [&](graphed::tensor_list& in) {
    return graphed::impl::packed([&] { return ::search::embed(in[0], in[1], arguments.pooling); });
  };
  if constexpr (Ahead) {
    graphed::impl::Call::prepare(engine, inputs, body, scalars());
  } else {
    graphed::impl::Call call(engine, inputs, scalars());
    if (auto* graph = call.captured(body)) {
      return graphed::unpack<signature::result>(EmbedFunction::forward(*graph, inputs));
    }
    // A warm-up, or a call that no graph can serve.
    return call.original([&] { return ::search::embed(arguments.tokens, arguments.mask, arguments.pooling); });
  }
}

}  // namespace
}  // namespace graphed::embed_glue_of_search_in_padded

graphed::callable<graphed::embed_glue_of_search_in_padded::function()>::callable() : engine_(embed_glue_of_search_in_padded::spec) {}

auto graphed::callable<graphed::embed_glue_of_search_in_padded::function()>::operator()(
    signature::argument<0> tokens, signature::argument<1> mask, signature::argument<2> pooling) const -> signature::result {
  return embed_glue_of_search_in_padded::run</*Ahead=*/false>(engine_, {tokens, mask, pooling});
}

void graphed::callable<graphed::embed_glue_of_search_in_padded::function()>::prepare(
    signature::argument<0> tokens, signature::argument<1> mask, signature::argument<2> pooling) const {
  embed_glue_of_search_in_padded::run</*Ahead=*/true>(engine_, {tokens, mask, pooling});
}

graphed::Estimate graphed::callable<graphed::embed_glue_of_search_in_padded::function()>::estimate(
    signature::argument<0> tokens, signature::argument<1> mask, signature::argument<2> pooling) const {
  graphed::impl::Engine apart = engine_.apart();
  embed_glue_of_search_in_padded::run</*Ahead=*/true>(apart, {tokens, mask, pooling});
  return apart.estimate();
}

#pragma GCC diagnostic pop
