// SPDX-License-Identifier: Apache-2.0
//
// Every distribution draws in a replay what eager draws, and leaves the generator where eager leaves it.
// Upstream, where nothing else is said: test_cuda.py, test_graph_rng_distributions.
#include "support/device_test.h"

namespace distribution_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Distribution);

using drawing = std::function<Tensor(const Tensor&)>;

/// Two draws in each call, one by eager before and one after, with seeds that change and come back.
void expect_drawn_as_eager(c10::Device device, const drawing& draw) {
  expect_same(device, [&](scenario& run) {
    const Tensor x = at::rand({10, 50}, run.options()) + 0.01;
    subject f(run, {{"x", {10, 50}}}, [&](tensor_list& in) { return tensor_list{draw(in[0]), draw(in[0])}; });
    Tensor previous;
    for (const uint64_t seed : {5, 5, 5, 6, 314, 271, 5}) {
      at::manual_seed(seed);
      run.see("before", draw(x));
      const tensor_list drawn = f({x});
      EXPECT_FALSE(same_bits(drawn[0], drawn[1])) << "the second draw of a call is the first one again";
      run.see("drawn", drawn);
      run.see("after", draw(x));
    }
    f.expect_replays(5);
  });
}

TEST_P(Distribution, Bernoulli) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::bernoulli(x.clamp(0, 1)); });
}

TEST_P(Distribution, BernoulliInPlace) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::empty_like(x).bernoulli_(0.3); });
}

TEST_P(Distribution, Cauchy) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::empty_like(x).cauchy_(); });
}

TEST_P(Distribution, Exponential) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::empty_like(x).exponential_(); });
}

TEST_P(Distribution, Geometric) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::empty_like(x).geometric_(0.3); });
}

TEST_P(Distribution, LogNormal) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::empty_like(x).log_normal_(); });
}

TEST_P(Distribution, NormalInPlace) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::empty_like(x).normal_(); });
}

TEST_P(Distribution, NormalOfATensorOfMeans) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::normal(x + 1, 1.0); });
}

// Upstream leaves a tensor of deviations out: its sign is checked on the host. The tape refuses it, and a GPU's capture fails: eager runs.
TEST_P(Distribution, NormalOfATensorOfDeviations) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {10, 50}}}, [](tensor_list& in) { return tensor_list{at::normal(in[0] + 1, in[0].abs())}; });
    for (int step = 0; step < 6; ++step) {
      run.see("drawn", f({run.random({10, 50})}));
      run.see("after", run.random({3}));
    }
  });
}

TEST_P(Distribution, Poisson) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::poisson(x * 4); });
}

TEST_P(Distribution, Rand) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::rand({500}, x.options()); });
}

TEST_P(Distribution, RandInt) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::randint(0, 3, {500}, x.options()); });
}

TEST_P(Distribution, RandN) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::randn({500}, x.options()); });
}

TEST_P(Distribution, RandomInPlace) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::empty_like(x).random_(); });
}

TEST_P(Distribution, Uniform) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::empty_like(x).uniform_(-1, 1); });
}

// Upstream leaves it out as not capturable.
TEST_P(Distribution, MultinomialWithReplacement) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::multinomial(x, 20, /*replacement=*/true); });
}

// Upstream leaves it out as not capturable.
TEST_P(Distribution, MultinomialWithoutReplacement) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::multinomial(x, 20, /*replacement=*/false); });
}

// test_cudagraph_trees.py, test_cudagraph_uneven_forward_backward draws permutations.
TEST_P(Distribution, Permutation) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::randperm(500, x.options().dtype(at::kLong)); });
}

// test_cuda.py, test_graph_rng_functional.
TEST_P(Distribution, Dropout) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::dropout(x, 0.1, /*train=*/true); });
}

// test_cuda.py, test_graph_rng_functional.
TEST_P(Distribution, RandomizedRectifier) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::rrelu(x - 0.5, 0.1, 0.3, /*training=*/true); });
}

TEST_P(Distribution, AlphaDropout) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::alpha_dropout(x, 0.2, /*train=*/true); });
}

TEST_P(Distribution, FeatureDropout) {
  expect_drawn_as_eager(device(), [](const Tensor& x) { return at::feature_dropout(x, 0.5, /*train=*/true); });
}

}  // namespace distribution_test
