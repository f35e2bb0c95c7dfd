// SPDX-License-Identifier: Apache-2.0
//
// Callables on streams of their own compute what they compute on one.
#include "support/device_test.h"
#include "support/streams.h"

#include <torch/autograd.h>

#include <vector>

namespace stream_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Stream);

const std::vector<argument> arguments{{"x", {64, 256}}, {"w", {256, 64}, at::kFloat, true}};

tensor_list noisy_layer(tensor_list& in) { return {at::dropout(in[0].matmul(in[1]).tanh(), 0.5, true)}; }

// Random numbers are one sequence, in the order of the calls.
TEST_P(Stream, CallablesOnAStreamEachDrawEagersNumbers) {
  expect_same([](scenario& run) {
    subject f(run, arguments, noisy_layer), g(run, arguments, noisy_layer);
    const test_stream first(run.device()), second(run.device());
    const Tensor x = run.random({64, 256}), v = run.leaf({256, 64}), w = run.leaf({256, 64});
    for (int step = 0; step < 8; ++step) {
      Tensor y, z;
      if (!run.device().is_cpu()) {
        torch::cuda::synchronize();
      }
      {
        const auto current = first.make_current();
        y = f({x, v})[0];
        y.sum().backward();
      }
      {
        const auto current = second.make_current();
        z = g({x, w})[0];
        z.sum().backward();
      }
      first.synchronize();
      second.synchronize();
      run.see("y", y.clone());
      run.see("z", z.clone());
      run.see_grad("v.grad", v);
      run.see_grad("w.grad", w);
    }
    f.expect_replays(6, 6);
    g.expect_replays(6, 6);
  });
}

// Each is ordered with its own calls alone.
TEST_P(Stream, CallablesThatChangeStreamsWithEachCall) {
  expect_same([](scenario& run) {
    subject f(run, arguments, noisy_layer), g(run, arguments, noisy_layer);
    const test_stream first(run.device()), second(run.device());
    const Tensor x = run.random({64, 256}), w = run.random({256, 64}).requires_grad_();
    std::vector<Tensor> results;
    if (!run.device().is_cpu()) {
      torch::cuda::synchronize();
    }
    const c10::AutoGradMode no_grad(false);
    for (int step = 0; step < 12; ++step) {
      const auto current = (step % 3 == 0 ? first : second).make_current();
      results.push_back(f({x, w})[0].clone());
      results.push_back(g({x, w})[0].clone());
    }
    first.synchronize();
    second.synchronize();
    run.see("results", results);
    f.expect_replays(10);
    g.expect_replays(10);
  });
}

}  // namespace stream_test
