// SPDX-License-Identifier: Apache-2.0
//
// Every callable of forms.h through the code that is generated for it, beside the original.
#include "compare.h"
#include "flags.graphed.h"
#include "forms.graphed.h"

#include <graphed/error.h>

#include <limits>

namespace {

using at::Tensor;
using generated_tests::expect_equal_calls;
using generated_tests::expect_replays;
using generated_tests::normal;
using generated_tests::wanting_grad;
using graphed::tensor_list;

TEST(GeneratedParameters, AtGlobalScope) {
  graphed::callable<&at_global_scope> fast;
  expect_equal_calls({normal({3})}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return at_global_scope(in[0]); });
  expect_replays(fast);
}

TEST(GeneratedParameters, OfACallableThatIsConst) {
  const graphed::callable<&at_global_scope> fast;
  fast.prepare(at::ones({3}));
  EXPECT_EQ(fast.stats().captures, 1U);
  EXPECT_GT(fast.estimate(at::ones({3})).bytes_held(), 0U);
  expect_equal_calls(
      {normal({3})}, [fast](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return at_global_scope(in[0]); });
  expect_replays(fast);
}

TEST(GeneratedParameters, ConstReferencesWithGradients) {
  graphed::callable<&forms::product> fast;
  expect_equal_calls(
      {wanting_grad({forms::kRows, forms::kColumns}), wanting_grad({forms::kColumns, 3})},
      [&](tensor_list& in) { return fast(in[0], in[1]); }, [](tensor_list& in) { return forms::product(in[0], in[1]); });
  expect_replays(fast);
  EXPECT_GT(fast.stats().backward_replays, 0U);
}

TEST(GeneratedParameters, ByValue) {
  graphed::callable<&forms::by_value> fast;
  expect_equal_calls(
      {normal({2, 3})}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return forms::by_value(in[0]); });
  expect_replays(fast);
}

TEST(GeneratedParameters, WrittenThroughAReference) {
  graphed::callable<&forms::add_into> fast;
  expect_equal_calls(
      {normal({3}), normal({3})}, [&](tensor_list& in) { fast(in[0], in[1]); }, [](tensor_list& in) { forms::add_into(in[0], in[1]); });
  expect_replays(fast);
}

TEST(GeneratedParameters, OptionalTensorsPresent) {
  graphed::callable<&forms::with_bias> fast;
  expect_equal_calls(
      {wanting_grad({2, 2}), normal({2})}, [&](tensor_list& in) { return fast(in[0], in[1]); },
      [](tensor_list& in) { return forms::with_bias(in[0], in[1]); });
  expect_replays(fast);

  graphed::callable<&forms::with_optional_by_value> by_value;
  expect_equal_calls(
      {normal({2}), normal({2})}, [&](tensor_list& in) { return by_value(in[0], in[1]); },
      [](tensor_list& in) { return forms::with_optional_by_value(in[0], in[1]); });
  expect_replays(by_value);
}

TEST(GeneratedParameters, OptionalTensorAbsentRunsThePlainCallable) {
  graphed::callable<&forms::with_bias> fast;
  expect_equal_calls(
      {wanting_grad({2, 2})}, [&](tensor_list& in) { return fast(in[0], std::nullopt); },
      [](tensor_list& in) { return forms::with_bias(in[0], std::nullopt); });
  EXPECT_EQ(fast.stats().replays, 0U);
}

TEST(GeneratedParameters, Lists) {
  graphed::callable<&forms::stacked> of_vector;
  expect_equal_calls(
      {wanting_grad({2, 3}), wanting_grad({2, 3}), wanting_grad({2, 3}), normal({3})},
      [&](tensor_list& in) { return of_vector({in[0], in[1], in[2]}, in[3]); },
      [](tensor_list& in) { return forms::stacked({in[0], in[1], in[2]}, in[3]); });
  expect_replays(of_vector);

  graphed::callable<&forms::listed> of_list;
  expect_equal_calls(
      {normal({2}), normal({2}), normal({2})}, [&](tensor_list& in) { return of_list(in[0], {in[1], in[2]}); },
      [](tensor_list& in) { return forms::listed(in[0], {in[1], in[2]}); });
  expect_replays(of_list);
}

TEST(GeneratedParameters, ScalarsWithDefaultArguments) {
  graphed::callable<&forms::scaled> fast;
  const Tensor sample = at::randn({3}, at::kDouble).requires_grad_();
  expect_equal_calls({sample}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return forms::scaled(in[0]); });
  expect_equal_calls(
      {sample}, [&](tensor_list& in) { return fast(in[0], false, 3, forms::Mode::negated); },
      [](tensor_list& in) { return forms::scaled(in[0], false, 3, forms::Mode::negated); });
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U);
  EXPECT_THROW(fast(sample, true, 2, forms::Mode::twice, 0.25), graphed::GuardError);
  EXPECT_THROW(fast(sample, true, 2, forms::Mode::twice, 0.5, "other"), graphed::GuardError);
}

TEST(GeneratedParameters, ListsAndOptionalsOfValues) {
  graphed::callable<&forms::reshaped> fast;
  const Tensor sample = at::randn({2, 6}, at::kDouble).requires_grad_();
  expect_equal_calls({sample}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return forms::reshaped(in[0]); });
  const auto expect_equal = [&](at::IntArrayRef sizes, std::optional<double> scale, std::optional<forms::Mode> mode, at::ScalarType dtype) {
    expect_equal_calls(
        {sample}, [&](tensor_list& in) { return fast(in[0], sizes, scale, mode, dtype); },
        [&](tensor_list& in) { return forms::reshaped(in[0], sizes, scale, mode, dtype); });
  };
  expect_equal({12}, std::nullopt, forms::Mode::twice, at::kDouble);
  expect_equal({12}, 0.0, forms::Mode::twice, at::kDouble);
  expect_equal({12}, 0.0, std::nullopt, at::kFloat);
  expect_equal({12}, 0.0, forms::Mode::negated, at::kFloat);
  expect_equal({2, 3, 2}, 0.0, forms::Mode::negated, at::kFloat);
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 6U);
  EXPECT_NE(fast.explain().find("sizes = [12]; scale = none; mode = 0; dtype = f64"), std::string::npos) << fast.explain();
  EXPECT_THROW(fast(sample, {3, 4}, std::nullopt, forms::Mode::twice, at::kDouble, sample.device()), graphed::GuardError);
}

TEST(GeneratedParameters, NumbersOfAnyType) {
  graphed::callable<&forms::combined> fast;
  const Tensor sample = at::arange(-1, 2);
  const forms::Powers powers{3, 2};
  const auto expect_equal = [&](const at::Scalar& alpha, const std::optional<at::Scalar>& beta, const std::vector<at::Scalar>& rest) {
    expect_equal_calls(
        {sample}, [&](tensor_list& in) { return fast(in[0], alpha, powers, beta, rest); },
        [&](tensor_list& in) { return forms::combined(in[0], alpha, powers, beta, rest); });
  };
  expect_equal(2, std::nullopt, {});
  expect_equal(2, 1, {});
  expect_equal(2, 1.0, {});
  expect_equal(2, true, {});
  expect_equal(2, c10::complex<double>(1, 0), {});
  expect_equal(2, 0.0, {3, 0.5});
  expect_equal(2, -0.0, {3, 0.5});
  expect_equal(2, -0.0, {3, true});
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 8U);
  EXPECT_NE(fast.explain().find("alpha = 2; by.base = 3; beta = (1.0, 0.0); rest = []"), std::string::npos) << fast.explain();
  const auto before = fast.stats();
  for (int call = 0; call < 5; ++call) {
    EXPECT_TRUE(fast(sample, 2, powers, std::numeric_limits<double>::quiet_NaN()).isnan().all().item<bool>());
  }
  EXPECT_EQ(fast.stats().captures, before.captures + 1);
  EXPECT_EQ(fast.stats().replays, before.replays + 2);
  EXPECT_THROW(fast(sample, 2, forms::Powers{3, 2.0}), graphed::GuardError);
}

TEST(GeneratedParameters, NumbersOfAnyTypeWithDefaultArguments) {
  graphed::callable<&forms::added> fast;
  const Tensor sample = at::arange(-1, 2);
  expect_equal_calls({sample}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return forms::added(in[0]); });
  EXPECT_EQ(fast(sample).scalar_type(), at::kFloat);
  expect_equal_calls(
      {sample}, [&](tensor_list& in) { return fast(in[0], 2, 2, std::nullopt); },
      [](tensor_list& in) { return forms::added(in[0], 2, 2, std::nullopt); });
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U);
}

TEST(GeneratedParameters, ListsOfValuesInAggregates) {
  graphed::callable<&forms::reduced> fast;
  const std::vector<forms::Reduction> each{{{0}, true, {"exp"}}, {{0, 2}, std::nullopt, {}}, {{2, 0}, false, {"abs", "exp"}}};
  for (const forms::Reduction& by : each) {
    expect_equal_calls(
        {normal({2, 3, 4})}, [&](tensor_list& in) { return fast(in[0], by); }, [&](tensor_list& in) { return forms::reduced(in[0], by); });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 3U);
  EXPECT_THROW(fast(normal({2, 3, 4}), each[0], {0.5}), graphed::GuardError);
}

TEST(GeneratedResults, TuplesPairsArraysAndVectors) {
  graphed::callable<&forms::three> three;
  expect_equal_calls(
      {wanting_grad({4})}, [&](tensor_list& in) { return three(in[0]); }, [](tensor_list& in) { return forms::three(in[0]); });
  expect_replays(three);
  graphed::callable<&forms::two> two;
  expect_equal_calls({wanting_grad({4})}, [&](tensor_list& in) { return two(in[0]); }, [](tensor_list& in) { return forms::two(in[0]); });
  expect_replays(two);
  graphed::callable<&forms::halves> halves;
  expect_equal_calls(
      {wanting_grad({4})}, [&](tensor_list& in) { return halves(in[0]); }, [](tensor_list& in) { return forms::halves(in[0]); });
  expect_replays(halves);
  graphed::callable<&forms::quarters> quarters;
  expect_equal_calls(
      {wanting_grad({4})}, [&](tensor_list& in) { return quarters(in[0]); }, [](tensor_list& in) { return forms::quarters(in[0]); });
  expect_replays(quarters);
}

TEST(GeneratedShapes, WithoutParameters) {
  graphed::callable<&forms::nothing_given> fast;
  expect_equal_calls({}, [&](tensor_list&) { return fast(); }, [](tensor_list&) { return forms::nothing_given(); });
  expect_replays(fast);
}

TEST(GeneratedShapes, WithScalarsAlone) {
  graphed::callable<&forms::filled> fast;
  for (const int64_t n : {3, 4}) {
    expect_equal_calls({}, [&](tensor_list&) { return fast(n); }, [n](tensor_list&) { return forms::filled(n); });
  }
  expect_replays(fast);
}

TEST(GeneratedShapes, RankZeroAndEmpty) {
  graphed::callable<&forms::rank_zero> rank_zero;
  expect_equal_calls(
      {wanting_grad({})}, [&](tensor_list& in) { return rank_zero(in[0]); }, [](tensor_list& in) { return forms::rank_zero(in[0]); });
  expect_replays(rank_zero);
  graphed::callable<&forms::empty> empty;
  expect_equal_calls(
      {wanting_grad({0, 4})}, [&](tensor_list& in) { return empty(in[0]); }, [](tensor_list& in) { return forms::empty(in[0]); });
  expect_replays(empty);
}

TEST(GeneratedNames, ThatTheCodeUsesItself) {
  const tensor_list sample(8, normal({2}));
  const auto call = [](auto&& callee, tensor_list& in) { return callee(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]); };
  graphed::callable<&forms::clashing> locals;
  expect_equal_calls(sample, [&](tensor_list& in) { return call(locals, in); }, [&](tensor_list& in) { return call(forms::clashing, in); });
  expect_replays(locals);
  graphed::callable<&forms::clashing_with_members> members;
  expect_equal_calls(
      sample, [&](tensor_list& in) { return call(members, in); }, [&](tensor_list& in) { return call(forms::clashing_with_members, in); });
  expect_replays(members);
}

TEST(GeneratedNames, OfNamespacesAndClassesLikeGraphedsOwn) {
  graphed::callable<&impl::step> step;
  expect_equal_calls({normal({3})}, [&](tensor_list& in) { return step(in[0]); }, [](tensor_list& in) { return impl::step(in[0]); });
  expect_replays(step);
  const impl::Graph graph;
  graphed::callable<&impl::Graph::call> method(graph);
  expect_equal_calls({normal({3})}, [&](tensor_list& in) { return method(in[0]); }, [&](tensor_list& in) { return graph.call(in[0]); });
  expect_replays(method);
}

TEST(GeneratedOptions, AreObeyed) {
  graphed::callable<&forms::cloned> cloned;
  expect_equal_calls(
      {wanting_grad({2})}, [&](tensor_list& in) { return cloned(in[0]); }, [](tensor_list& in) { return forms::cloned(in[0]); });
  EXPECT_EQ(cloned.stats().warmups, 0U);
  graphed::callable<&forms::aliased> aliased;
  expect_equal_calls({normal({2})}, [&](tensor_list& in) { return aliased(in[0]); }, [](tensor_list& in) { return forms::aliased(in[0]); });
  EXPECT_EQ(aliased.stats().warmups, 1U);
  EXPECT_THROW(aliased(normal({3})), graphed::GuardError);
}

TEST(GeneratedOverloads, AreToldApart) {
  graphed::callable<graphed::overload<Tensor(const Tensor&)>(&forms::overloaded)> one;
  expect_equal_calls({normal({2})}, [&](tensor_list& in) { return one(in[0]); }, [](tensor_list& in) { return forms::overloaded(in[0]); });
  expect_replays(one);
  graphed::callable<graphed::overload<Tensor(const Tensor&, const Tensor&)>(&forms::overloaded)> two;
  expect_equal_calls(
      {normal({2}), normal({2})}, [&](tensor_list& in) { return two(in[0], in[1]); },
      [](tensor_list& in) { return forms::overloaded(in[0], in[1]); });
  expect_replays(two);
}

TEST(GeneratedOverloads, OfTwoHeadersAreToldApart) {
  graphed::callable<graphed::overload<Tensor(const Tensor&)>(&forms::of_two_headers)> one;
  expect_equal_calls(
      {normal({2})}, [&](tensor_list& in) { return one(in[0]); }, [](tensor_list& in) { return forms::of_two_headers(in[0]); });
  expect_replays(one);
  graphed::callable<graphed::overload<Tensor(const Tensor&, const Tensor&)>(&forms::of_two_headers)> two;
  expect_equal_calls(
      {normal({2}), normal({2})}, [&](tensor_list& in) { return two(in[0], in[1]); },
      [](tensor_list& in) { return forms::of_two_headers(in[0], in[1]); });
  expect_replays(two);
}

TEST(GeneratedOverloads, NoexceptAndNestedNamespaces) {
  graphed::callable<&forms::never_throws> fast;
  expect_equal_calls(
      {normal({2})}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return forms::never_throws(in[0]); });
  expect_replays(fast);
  graphed::callable<&forms::inner::product> inner;
  expect_equal_calls(
      {normal({2, 2})}, [&](tensor_list& in) { return inner(in[0]); }, [](tensor_list& in) { return forms::inner::product(in[0]); });
  expect_replays(inner);
}

TEST(GeneratedMethods, OfModules) {
  forms::Net net;
  graphed::callable<&forms::NetImpl::forward> forward(net);
  for (const bool training : {true, false}) {
    net->train(training);
    expect_equal_calls(
        {normal({5, 3})}, [&](tensor_list& in) { return forward(in[0]); }, [&](tensor_list& in) { return net->forward(in[0]); });
  }
  expect_replays(forward);
  graphed::callable<&forms::NetImpl::evaluate> evaluate(net.ptr());
  expect_equal_calls(
      {normal({5, 3})}, [&](tensor_list& in) { return evaluate(in[0]); }, [&](tensor_list& in) { return net->evaluate(in[0]); });
  expect_replays(evaluate);
}

TEST(GeneratedMethods, QualifiedOverloadsOfModules) {
  forms::Net net;
  graphed::callable<graphed::overload<Tensor(const Tensor&) &>(&forms::NetImpl::overloaded)> lvalue(*net);
  expect_equal_calls(
      {normal({2})}, [&](tensor_list& in) { return lvalue(in[0]); }, [&](tensor_list& in) { return net->overloaded(in[0]); });
  expect_replays(lvalue);
  graphed::callable<graphed::overload<Tensor(const Tensor&, const Tensor&) const>(&forms::NetImpl::overloaded)> constant(net);
  expect_equal_calls(
      {normal({2}), normal({2})}, [&](tensor_list& in) { return constant(in[0], in[1]); },
      [&](tensor_list& in) { return net->overloaded(in[0], in[1]); });
  expect_replays(constant);
}

TEST(GeneratedMethods, StaticOnesNeedNoObject) {
  graphed::callable<&forms::NetImpl::normalized> fast;
  expect_equal_calls(
      {normal({3})}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return forms::NetImpl::normalized(in[0]); });
  expect_replays(fast);
}

TEST(GeneratedMethods, Functors) {
  const forms::Scale scale;
  graphed::callable<&forms::Scale::operator()> scaling(scale);
  expect_equal_calls({wanting_grad({3})}, [&](tensor_list& in) { return scaling(in[0]); }, [&](tensor_list& in) { return scale(in[0]); });
  expect_replays(scaling);
  forms::Scale::Shift shift;
  graphed::callable<&forms::Scale::Shift::operator()> shifting(shift);
  expect_equal_calls({wanting_grad({3})}, [&](tensor_list& in) { return shifting(in[0]); }, [&](tensor_list& in) { return shift(in[0]); });
  expect_replays(shifting);
}

}  // namespace
