// SPDX-License-Identifier: Apache-2.0
//
// What is known of a callable at compile time: its signature, one of an overload set, its object, its packed arguments and results.
#include <graphed/impl/glue.h>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace signature_test {

using at::Tensor;
using graphed::impl::Signature;

struct subject {
  Tensor method(const Tensor&, int);
  Tensor constant(Tensor) const;
  void lvalue(Tensor&) &;
  Tensor constant_lvalue(double) const&;
  Tensor safe(const Tensor&) noexcept;
  Tensor safe_constant() const noexcept;
  Tensor operator()(const Tensor&, bool) const;
  static std::pair<Tensor, Tensor> fixed(at::TensorList);

  Tensor overloaded(const Tensor&);
  int overloaded(const Tensor&) const;
  int overloaded(int);
};

Tensor safe_function(const Tensor&) noexcept { return {}; }
Tensor overloaded(const Tensor&) { return {}; }
int overloaded(int value) { return value; }

template <auto F>
using of = Signature<decltype(F)>;
template <class A, class B>
constexpr bool same = std::is_same_v<A, B>;

static_assert(same<of<&subject::method>::result, Tensor> && same<of<&subject::method>::object, subject>);
static_assert(same<of<&subject::method>::argument<0>, const Tensor&> && same<of<&subject::method>::argument<1>, int>);
static_assert(same<of<&subject::constant>::argument<0>, Tensor> && same<of<&subject::constant>::object, subject>);
static_assert(same<of<&subject::lvalue>::result, void> && same<of<&subject::lvalue>::argument<0>, Tensor&>);
static_assert(same<of<&subject::constant_lvalue>::argument<0>, double>);
static_assert(same<of<&subject::safe>::argument<0>, const Tensor&> && same<of<&subject::safe_constant>::result, Tensor>);
static_assert(same<of<&subject::operator()>::argument<1>, bool>);
static_assert(same<of<&subject::fixed>::result, std::pair<Tensor, Tensor>> && same<of<&subject::fixed>::argument<0>, at::TensorList>);
static_assert(same<of<&safe_function>::argument<0>, const Tensor&>);

static_assert(graphed::overload<Tensor(const Tensor&)>(&overloaded) == static_cast<Tensor (*)(const Tensor&)>(&overloaded));
static_assert(graphed::overload<int(int)>(&overloaded) == static_cast<int (*)(int)>(&overloaded));
static_assert(same<of<graphed::overload<Tensor(const Tensor&)>(&subject::overloaded)>::result, Tensor>);
static_assert(same<of<graphed::overload<int(const Tensor&) const>(&subject::overloaded)>::result, int>);
static_assert(same<of<graphed::overload<int(int)>(&subject::overloaded)>::argument<0>, int>);
static_assert(same<decltype(graphed::overload<Tensor(const Tensor&)>(&safe_function)), decltype(&safe_function)>);
static_assert(same<decltype(graphed::overload<Tensor(const Tensor&)>(&subject::safe)), decltype(&subject::safe)>);
static_assert(same<decltype(graphed::overload<Tensor() const>(&subject::safe_constant)), decltype(&subject::safe_constant)>);

TEST(Object, FromAReference) {
  std::vector<int> referred{1, 2};
  const graphed::impl::ObjectHolder<std::vector<int>> object(referred);
  EXPECT_EQ(&*object, &referred);
  EXPECT_EQ(object->size(), 2U);
}

TEST(Object, KeepsASharedPointerAlive) {
  auto shared = std::make_shared<int>(4);
  const std::weak_ptr<int> watched = shared;
  const graphed::impl::ObjectHolder<int> object(std::move(shared));
  EXPECT_EQ(*object, 4);
  EXPECT_FALSE(watched.expired());
}

struct holder {
  std::shared_ptr<int> held = std::make_shared<int>(5);
  const std::shared_ptr<int>& ptr() const { return held; }
};

TEST(Object, FromAModuleHolder) {
  const holder made;
  const graphed::impl::ObjectHolder<int> object(made);
  EXPECT_EQ(&*object, made.held.get());
}

TEST(Inputs, FlattenEveryKindOfParameter) {
  const Tensor a = at::zeros({1}), b = at::zeros({2}), c = at::zeros({3});
  const std::vector<Tensor> list{b, c};
  const graphed::impl::Inputs inputs(a, list, std::optional<Tensor>(), std::optional<Tensor>(c), at::TensorList(list));
  ASSERT_EQ(inputs.tensors().size(), 7U);
  EXPECT_TRUE(inputs.tensors()[0].is_same(a));
  EXPECT_TRUE(inputs.tensors()[2].is_same(c));
  EXPECT_FALSE(inputs.tensors()[3].defined());
  EXPECT_TRUE(inputs.tensors()[4].is_same(c));
  EXPECT_EQ(inputs.lengths().vec(), (std::vector<int64_t>{2, 2}));
}

TEST(Inputs, SliceIsTheListThatACallableTakes) {
  const graphed::tensor_list tensors{at::zeros({1}), at::zeros({2}), at::zeros({3})};
  const auto vector = graphed::impl::slice<std::vector<Tensor>>(tensors, 1, 2);
  ASSERT_EQ(vector.size(), 2U);
  EXPECT_TRUE(vector[0].is_same(tensors[1]));
  EXPECT_EQ(graphed::impl::slice<at::TensorList>(tensors, 0, 2).data(), tensors.data());
}

template <class Result>
void expect_round_trip(const Result& result, std::size_t count) {
  const graphed::tensor_list packed = graphed::pack(result);
  ASSERT_EQ(packed.size(), count);
  const Result back = graphed::unpack<Result>(graphed::tensor_list(packed));
  const graphed::tensor_list again = graphed::pack(back);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_TRUE(again[i].is_same(packed[i]));
  }
}

TEST(Results, PackAndUnpackAreInverse) {
  const Tensor a = at::zeros({1}), b = at::zeros({2}), c;
  expect_round_trip(a, 1);
  expect_round_trip(std::make_pair(a, b), 2);
  expect_round_trip(std::make_tuple(a, c, b), 3);
  expect_round_trip(std::array<Tensor, 2>{a, b}, 2);
  expect_round_trip(std::vector<Tensor>{b, a, c}, 3);
  expect_round_trip(std::vector<Tensor>{}, 0);
}

TEST(Results, NothingIsPackedOfVoid) {
  bool called = false;
  EXPECT_TRUE(graphed::impl::packed([&] { called = true; }).empty());
  EXPECT_TRUE(called);
  graphed::unpack<void>({});
}

}  // namespace signature_test
