// SPDX-License-Identifier: Apache-2.0
//
// Every callable of assigned.h through the code that is generated for it, beside the original.
#include "assigned.graphed.h"
#include "compare.h"

namespace {

using at::Tensor;
using generated_tests::expect_replays;
using generated_tests::expect_same_calls;
using generated_tests::kCalls;
using generated_tests::normal;
using generated_tests::wanting_grad;
using graphed::tensor_list;

TEST(AssignedArguments, AreWhatTheCallableMakesThem) {
  graphed::callable<&assigned::recurrent> fast;
  expect_same_calls({wanting_grad({3}), normal({3})}, fast, assigned::recurrent, [](auto& callee, tensor_list& in) {
    Tensor h = in[1];
    const Tensor sum = callee(in[0], h);
    EXPECT_FALSE(h.is_same(in[1]));
    return tensor_list{sum, h, in[1]};
  });
  expect_replays(fast);
  EXPECT_GT(fast.stats().backward_replays, 0U);
}

TEST(AssignedArguments, GoRound) {
  graphed::callable<&assigned::recurrent> fast;
  const at::NoGradGuard no_grad;
  Tensor h = at::zeros(3), plain_h = h;
  for (int call = 0; call < 2 * kCalls; ++call) {
    const Tensor x = normal({3});
    EXPECT_TRUE(at::equal(fast(x, h), assigned::recurrent(x, plain_h)));
    EXPECT_TRUE(at::equal(h, plain_h)) << call;
  }
}

TEST(AssignedArguments, StayTheCallersWhereTheyAreNot) {
  graphed::callable<&assigned::perhaps> fast;
  for (const bool replace : {false, true}) {
    for (const bool is_there : {false, true}) {
      for (int call = 0; call < kCalls; ++call) {
        const Tensor x = normal({3}), before = is_there ? normal({3}) : Tensor();
        Tensor h = before, plain_h = before;
        fast(x, h, replace);
        assigned::perhaps(x, plain_h, replace);
        EXPECT_EQ(h.is_same(before), !replace);
        generated_tests::expect_same({h}, {plain_h}, "h");
      }
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 4U) << fast.stats();
}

TEST(OutArguments, TakeWhateverTheCallerHas) {
  graphed::callable<&assigned::losses> fast;
  Tensor kept, kept_each;  // of the last call, with its history
  expect_same_calls({wanting_grad({3})}, fast, assigned::losses, [&](auto& callee, tensor_list& in) {
    callee(in[0], kept, kept_each);
    return tensor_list{kept, kept_each};
  });
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
  EXPECT_GT(fast.stats().backward_replays, 0U);
}

TEST(OutArguments, StayTheCallersWhereTheyAreNotAssigned) {
  graphed::callable<&assigned::sum_if> fast;
  for (const bool wanted : {true, false}) {
    for (int call = 0; call < kCalls; ++call) {
      const Tensor x = normal({3}), before = at::arange(2);
      Tensor sum = before;
      fast(x, sum, wanted);
      EXPECT_TRUE(wanted ? at::equal(sum, x.sum()) : sum.is_same(before));
    }
  }
  expect_replays(fast);
}

TEST(OutArguments, MayBeAll) {
  graphed::callable<&assigned::of_nothing> fast;
  for (int call = 0; call < kCalls; ++call) {
    Tensor sum;
    fast(sum);
    EXPECT_TRUE(at::equal(sum, at::scalar_tensor(3.0F)));
  }
}

TEST(OutArguments, AreMembersBesideOthers) {
  graphed::callable<&assigned::filled> fast;
  expect_same_calls({wanting_grad({3}), normal({3}), at::zeros({})}, fast, assigned::filled, [](auto& callee, tensor_list& in) {
    assigned::Report report{at::arange(7), {Tensor(), in[1]}, in[2]};
    const Tensor sum = callee(in[0], report);
    EXPECT_TRUE(report.steps.is_same(in[2]));
    return tensor_list{sum, report.logits, report.bounds.first, report.bounds.second, report.steps};
  });
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
}

TEST(IgnoredMembers, TakeNoPart) {
  graphed::callable<&assigned::of_named> fast;
  int number = 0, call = 0;
  expect_same_calls({wanting_grad({3})}, fast, assigned::of_named, [&](auto& callee, tensor_list& in) {
    const assigned::Named named{std::to_string(++call), in[0], call % 2 == 0 ? &number : nullptr, std::vector<std::string>(call % 3)};
    return callee(named, call % 2 == 0 ? "even" : "odd");
  });
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
}

TEST(IgnoredMembers, OfListsTakeNoPart) {
  graphed::callable<&assigned::of_list> fast;
  int call = 0;
  expect_same_calls({normal({3}), normal({3})}, fast, assigned::of_list, [&](auto& callee, tensor_list& in) {
    return callee({{std::to_string(++call), in[0], nullptr, {}}, {"", in[1], nullptr, {"tag"}}});
  });
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
}

TEST(IgnoredMembers, StayTheCallersWhereOthersAreAssigned) {
  graphed::callable<&assigned::changing> fast;
  int number = 0;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = normal({3}), before = normal({3});
    const std::string name = "call " + std::to_string(call);
    assigned::Named named{name, before, &number, {name}};
    fast(x, named);
    EXPECT_TRUE(at::equal(named.x, before + x));
    EXPECT_EQ(named.name, name);
    EXPECT_EQ(named.place, &number);
    EXPECT_EQ(named.tags.at(0), name);
  }
  expect_replays(fast);
}

TEST(PointerResults, AreObjectsOfTheCallers) {
  graphed::callable<&assigned::owned> fast;
  const auto call = [](auto& callee, tensor_list& in) {
    const std::unique_ptr<assigned::Output> output = callee(in[0], false);
    return tensor_list{output->logits, output->rows.at(0), output->rows.at(1), at::scalar_tensor(output->loss, at::kDouble)};
  };
  expect_same_calls({wanting_grad({3})}, fast, assigned::owned, call);
  expect_replays(fast);
  for (int again = 0; again < kCalls; ++again) {
    EXPECT_EQ(fast(wanting_grad({3}), true), nullptr);
  }
  const auto first = fast(normal({3}), false), second = fast(normal({3}), false);
  EXPECT_NE(first, second);
}

TEST(NumbersInResults, AreNarrowedAsTheCallableNarrowsThem) {
  graphed::callable<&assigned::narrowed> fast;
  for (const int64_t n : {int64_t{1}, int64_t{-7}, int64_t{3}, int64_t{4} << 31, int64_t{5'000'000'017}, int64_t{-5'000'000'017}}) {
    EXPECT_EQ(fast(at::scalar_tensor(n, at::kLong)), assigned::narrowed(at::scalar_tensor(n, at::kLong))) << n;
  }
  expect_replays(fast);
}

TEST(NumbersInResults, ThrowWhereTheCallableDoes) {
  graphed::callable<&assigned::checked> fast;
  for (const int64_t n : {1, -7, 3, 1'000'000'000, 5}) {
    EXPECT_EQ(fast(at::scalar_tensor(n, at::kLong)), assigned::checked(at::scalar_tensor(n, at::kLong)));
  }
  expect_replays(fast);
  const Tensor large = at::scalar_tensor(int64_t{5'000'000'017}, at::kLong);
  EXPECT_THROW(assigned::checked(large), std::runtime_error);
  EXPECT_THROW(fast(large), std::runtime_error);
}

TEST(PointerResults, BesideAssignedArguments) {
  graphed::callable<&assigned::owned_beside> fast;
  expect_same_calls({wanting_grad({3}), normal({3})}, fast, assigned::owned_beside, [](auto& callee, tensor_list& in) {
    Tensor h = in[1];
    const auto both = callee(in[0], h);
    return tensor_list{both->first, both->second, h};
  });
  expect_replays(fast);
}

TEST(PointerResults, WithinOthers) {
  graphed::callable<&assigned::owned_within> fast;
  const auto call = [](auto& callee, tensor_list& in) {
    const assigned::Owned all = callee(in[0], false);
    const auto& [output, list, last] = all;
    EXPECT_EQ(list.at(1), nullptr);
    return tensor_list{output->logits, output->rows.at(1), *list.at(0), last->first, last->second->at(0), last->second->at(1)};
  };
  expect_same_calls({wanting_grad({3})}, fast, assigned::owned_within, call);
  expect_replays(fast);
  for (int again = 0; again < kCalls; ++again) {
    const assigned::Owned all = fast(wanting_grad({3}), true);
    EXPECT_EQ(std::get<0>(all), nullptr);
    EXPECT_FALSE(std::get<2>(all));
  }
  const auto first = fast(normal({3}), false), second = fast(normal({3}), false);
  EXPECT_NE(std::get<0>(first), std::get<0>(second));
  EXPECT_NE(std::get<1>(first).at(0), std::get<1>(second).at(0));
}

TEST(PointerResults, WithinOthersBesideAssignedArguments) {
  graphed::callable<&assigned::owned_within_beside> fast;
  expect_same_calls({wanting_grad({3}), normal({3})}, fast, assigned::owned_within_beside, [](auto& callee, tensor_list& in) {
    Tensor h = in[1];
    const auto all = callee(in[0], h);
    EXPECT_EQ(all[1], nullptr);
    return tensor_list{*all[0], h};
  });
  expect_replays(fast);
}

TEST(PointerResults, InOptionalsAndToOptionals) {
  graphed::callable<&assigned::owned_twice> fast;
  expect_same_calls({wanting_grad({3})}, fast, assigned::owned_twice, [](auto& callee, tensor_list& in) {
    const assigned::OwnedTwice both = callee(in[0], false);
    return tensor_list{(*both.first)->logits, (*both.first)->rows.at(1), **both.second};
  });
  expect_replays(fast);
  for (int again = 0; again < kCalls; ++again) {
    const assigned::OwnedTwice both = fast(wanting_grad({3}), true);
    EXPECT_EQ(*both.first, nullptr);
    EXPECT_FALSE(*both.second);
  }
}

TEST(OutArguments, AreElementsOfArrays) {
  graphed::callable<&assigned::into_array> fast;
  expect_same_calls({wanting_grad({3}), normal({3}), normal({})}, fast, assigned::into_array, [](auto& callee, tensor_list& in) {
    std::array<Tensor, 3> all{Tensor(), in[1], at::ones({7})};
    std::array<Tensor, 2> both{at::ones({2}), in[2].clone()};
    const Tensor sum = callee(in[0], all, both);
    return tensor_list{sum, all[0], all[1], all[2], both[0], both[1]};
  });
  expect_replays(fast);
}

}  // namespace
