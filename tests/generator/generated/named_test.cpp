// SPDX-License-Identifier: Apache-2.0
//
// Every callable of named.h through the code that is generated for it, beside the original.
#include "compare.h"
#include "named.graphed.h"

namespace {

using at::Tensor;
using generated_tests::expect_equal_calls;
using generated_tests::expect_replays;
using generated_tests::normal;
using generated_tests::wanting_grad;
using graphed::tensor_list;

/// Both take one tensor.
template <class Graphed, class Plain>
void expect_equal_on(const Tensor& sample, Graphed& fast, Plain&& plain) {
  expect_equal_calls({sample}, [&](tensor_list& in) { return fast(in[0]); }, [&](tensor_list& in) { return plain(in[0]); });
  expect_replays(fast);
}

TEST(GeneratedNamed, FunctionsOfOtherHeadersThroughUsingWithSeveralAnnotations) {
  graphed::callable<&outside::scaled> fast;
  expect_equal_on(wanting_grad({3}), fast, [](const Tensor& x) { return outside::scaled(x); });
  expect_equal_on(wanting_grad({5}), fast, [](const Tensor& x) { return outside::scaled(x); });
}

TEST(GeneratedNamed, OverloadsAndInstances) {
  graphed::callable<graphed::overload<Tensor(const Tensor&, const Tensor&)>(&outside::both)> sum;
  expect_equal_calls(
      {normal({2}), normal({2})}, [&](tensor_list& in) { return sum(in[0], in[1]); },
      [](tensor_list& in) { return outside::both(in[0], in[1]); });
  expect_replays(sum);
  graphed::callable<&outside::times<double, 4>> times;
  expect_equal_on(normal({2}), times, outside::times<double, 4>);
}

TEST(GeneratedNamed, MethodsOfOtherHeaders) {
  outside::Net net;
  graphed::callable<&outside::Net::forward> forward(net);
  expect_equal_on(normal({2}), forward, [&](const Tensor& x) { return net.forward(x); });
  graphed::callable<&outside::Net::operator()> call(net);
  expect_equal_on(normal({2}), call, net);
  graphed::callable<&outside::Net::doubled> doubled;
  expect_equal_on(normal({2}), doubled, outside::Net::doubled);
}

TEST(GeneratedNamed, ParametersWithoutNames) {
  graphed::callable<&outside::unnamed> unnamed;
  expect_equal_calls(
      {normal({2})}, [&](tensor_list& in) { return unnamed(in[0], true); }, [](tensor_list& in) { return outside::unnamed(in[0], true); });
  expect_replays(unnamed);
  graphed::callable<&named::partly> partly;
  expect_equal_calls(
      {wanting_grad({2})}, [&](tensor_list& in) { return partly(in[0], 3); }, [](tensor_list& in) { return named::partly(in[0], 3); });
  expect_replays(partly);
}

}  // namespace

namespace named {

TEST(GeneratedNamed, PrivateMethods) { Trainer::expect_equal(); }

void Trainer::expect_equal() {
  Trainer trainer;
  graphed::callable<&Trainer::step> fast(trainer);
  expect_equal_on(normal({2}), fast, [&](const Tensor& x) { return trainer.step(x); });
  graphed::callable<&Trainer::halved> halved;
  expect_equal_on(normal({2}), halved, Trainer::halved);
  graphed::callable<graphed::overload<Tensor(const Tensor&) const>(&Trainer::mixed)> mixed(trainer);
  expect_equal_on(normal({2}), mixed, [&](const Tensor& x) { return trainer.mixed(x); });
}

}  // namespace named
