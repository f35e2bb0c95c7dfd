// SPDX-License-Identifier: Apache-2.0
//
// Streams other than that of the calls read results and gradients, while the device lags behind the host.
#include "support/device_test.h"
#include "support/lag.h"
#include "support/streams.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace stream_reader_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(StreamReader);

constexpr int calls = 12;

tensor_list doubled(tensor_list& in) { return {in[0] * 2}; }

void record_reader(const Tensor& tensor, const test_stream& reader) {
  if (const auto stream = reader.get()) {
    tensor.record_stream(*stream);
  }
}

/// Reads each call's result late on another stream, after `keep` has had it.
void expect_late_reads(scenario& run, const std::function<void(Tensor& result)>& keep) {
  run.look_at_the_end();
  const c10::AutoGradMode no_grad(false);
  const test_stream reader(run.device());
  subject f(run, {{"x", {256, 64}}}, doubled);
  for (int call = 0; call < calls; ++call) {
    Tensor result = f({run.random({256, 64})})[0];
    reader.wait_for_current();
    record_reader(result, reader);
    {
      const auto current = reader.make_current();
      lag(run.device());
      run.see("read", result.square());
    }
    keep(result);
  }
  reader.synchronize();
  f.expect_replays(calls - 2);
}

TEST_P(StreamReader, OfAResultThatIsDropped) {
  expect_same([](scenario& run) { expect_late_reads(run, [](Tensor& result) { result.reset(); }); });
}

TEST_P(StreamReader, OfResultsThatAreHeld) {
  expect_same([](scenario& run) {
    std::vector<Tensor> held;
    expect_late_reads(run, [&](Tensor& result) { held.push_back(result); });
  });
}

// The second read finds the tensor's bytes moved.
TEST_P(StreamReader, OfAResultThatIsReadAgainAfterTheNextCall) {
  expect_same([](scenario& run) {
    run.look_at_the_end();
    const c10::AutoGradMode no_grad(false);
    const test_stream reader(run.device());
    subject f(run, {{"x", {256, 64}}}, doubled);
    Tensor before;
    for (int call = 0; call < calls; ++call) {
      lag(run.device());
      const Tensor result = f({run.random({256, 64})})[0];
      reader.wait_for_current();
      record_reader(result, reader);
      if (before.defined()) {
        const auto current = reader.make_current();
        run.see("read", before.square());
      }
      before = result;
    }
    reader.synchronize();
  });
}

TEST_P(StreamReader, OfAViewOfAStateThatGoesRound) {
  expect_same([](scenario& run) {
    run.look_at_the_end();
    const c10::AutoGradMode no_grad(false);
    const test_stream reader(run.device());
    subject f(run, {{"h", {256, 64}}}, [](tensor_list& in) { return tensor_list{(in[0] + 1).cos()}; });
    Tensor h = run.random({256, 64});
    for (int call = 0; call < calls; ++call) {
      h = f({h})[0];
      reader.wait_for_current();
      record_reader(h[0], reader);
      const auto current = reader.make_current();
      lag(run.device());
      run.see("read", h.square());
    }
    reader.synchronize();
  });
}

/// Layers before the callable on one stream, the callable on a second one, and backwards from a third, which alone waits for the layers'.
void expect_late_nodes(scenario& run, const std::function<Tensor(const Tensor& h)>& between) {
  run.look_at_the_end();
  const test_stream layers(run.device()), calls_of_f(run.device());
  subject f(run, {{"h", {256, 64}, at::kFloat, true}, {"w", {256, 64}, at::kFloat, true}},
            [](tensor_list& in) { return tensor_list{in[0] * in[1]}; });
  const Tensor w = run.leaf({256, 64}), v = run.leaf({256, 64});
  layers.wait_for_current();
  std::vector<Tensor> hidden;
  {
    const auto current = layers.make_current();
    for (int call = 0; call < calls; ++call) {
      const Tensor h = run.random({256, 64}) * v;
      h.register_hook([device = run.device()](const Tensor&) { lag(device); });
      hidden.push_back(h);
    }
  }
  layers.synchronize();
  for (const auto& h : hidden) {
    Tensor loss;
    {
      const auto current = calls_of_f.make_current();
      loss = f({between(h), w})[0].square().sum();
    }
    loss.backward();
  }
  if (!run.device().is_cpu()) {
    torch::cuda::synchronize();
  }
  run.see_grad("v.grad", v);
  run.see_grad("w.grad", w);
  f.expect_replays(calls - 2, calls - 2);
}

// An eager node of another stream reads the gradient that a replay has left, long after the engine has let go of it.
TEST_P(StreamReader, OfAGradientThatAnEagerNodeTakes) {
  expect_same([](scenario& run) { expect_late_nodes(run, [](const Tensor& h) { return h; }); });
}

// The node of the view passes the gradient on as it is.
TEST_P(StreamReader, OfAGradientThatANodePassesOn) {
  expect_same([](scenario& run) { expect_late_nodes(run, [](const Tensor& h) { return h.view({64, 256}).view({256, 64}); }); });
}

}  // namespace stream_reader_test
