// SPDX-License-Identifier: Apache-2.0
//
// Every callable of instances.h through the code that is generated for it, beside the original.
#include "compare.h"
#include "instances.graphed.h"

#include <memory>

namespace {

using at::Tensor;
using generated_tests::expect_equal_calls;
using generated_tests::expect_replays;
using generated_tests::normal;
using generated_tests::wanting_grad;
using graphed::tensor_list;

/// Both take one tensor.
template <class Graphed, class Plain>
void expect_same(const Tensor& sample, Graphed& fast, Plain&& plain) {
  expect_equal_calls({sample}, [&](tensor_list& in) { return fast(in[0]); }, [&](tensor_list& in) { return plain(in[0]); });
  expect_replays(fast);
}

TEST(GeneratedInstances, OfFunctionTemplates) {
  graphed::callable<&instances::repeated<instances::Doubling, 2>> doubling;
  expect_same(wanting_grad({2, 4}), doubling, [](const Tensor& x) { return instances::repeated<instances::Doubling, 2>(x); });
  graphed::callable<&instances::repeated<instances::Negating, 3>> negating;
  expect_same(wanting_grad({3, 6}), negating, [](const Tensor& x) { return instances::repeated<instances::Negating, 3>(x); });
}

TEST(GeneratedInstances, OfArgumentsWithNamesOfGraphedsOwn) {
  constexpr auto marked = &instances::marked<int (*)(optim::Mode, Scalar), two, optim::Mode::up, '\''>;
  graphed::callable<marked> fast;
  expect_same(normal({2}), fast, marked);
}

TEST(GeneratedInstances, OfClassTemplates) {
  const instances::Power<int> cube;
  graphed::callable<&instances::Power<int>::operator()> of_int(cube);
  expect_same(normal({4}), of_int, cube);
  const instances::Power<double> real;
  graphed::callable<&instances::Power<double>::operator()> of_double(real);
  expect_same(normal({8}), of_double, real);
  graphed::callable<&instances::Power<double>::both> both;
  expect_same(normal({8}), both, instances::Power<double>::both);
}

TEST(GeneratedInstances, OfSpecialisationsAndMemberTemplates) {
  const instances::Power<bool> tangent;
  graphed::callable<&instances::Power<bool>::operator()> specialised(tangent);
  expect_same(normal({5}), specialised, tangent);
  const instances::Tools tools;
  graphed::callable<&instances::Tools::once<instances::Doubling>> once(tools);
  expect_same(normal({2}), once, [&](const Tensor& x) { return tools.once<instances::Doubling>(x); });
}

TEST(GeneratedInstances, OfAClassInsideOfATemplate) {
  instances::Around<4>::Inner inner;
  graphed::callable<&instances::Around<4>::Inner::forward> fast(inner);
  const auto plain = [&](const Tensor& x) { return inner.forward(x); };
  expect_same(wanting_grad({4, 2}), fast, plain);
  inner.factor = 5;
  expect_same(wanting_grad({4, 2}), fast, plain);
}

TEST(GeneratedBases, TheirMethodsOnObjectsHoldersAndPointersOfDerivedClasses) {
  instances::Derived net;
  const auto plain = [&](const Tensor& x) { return net->forward(x); };
  graphed::callable<&instances::DerivedImpl::forward> of_object(*net);
  expect_same(wanting_grad({5, 3}), of_object, plain);
  graphed::callable<&instances::DerivedImpl::forward> of_holder(net);
  expect_same(wanting_grad({5, 3}), of_holder, plain);
  graphed::callable<&instances::DerivedImpl::forward> of_pointer(net.ptr());
  expect_same(wanting_grad({5, 3}), of_pointer, plain);
}

TEST(GeneratedBases, AVirtualMethodRunsAsTheObjectOverridesIt) {
  const auto net = std::make_shared<instances::OverridingImpl>();
  graphed::callable<&instances::BaseImpl::forward> fast(net);
  expect_same(wanting_grad({5, 3}), fast, [&](const Tensor& x) { return net->forward(x); });
}

}  // namespace
