// SPDX-License-Identifier: Apache-2.0
//
// The methods of objects.h through the code that is generated for them, beside the originals, while what the object holds is changed from
// outside.
#include "compare.h"
#include "objects.graphed.h"

#include <graphed/error.h>

namespace {

using at::Tensor;
using generated_tests::expect_same;
using generated_tests::kCalls;
using objects::Net;
using objects::NetImpl;

/// Calls both until the graph serves the calls, and once more for each.
template <class Object, class Fast>
void expect_equal_until_replayed(Object& object, Fast& fast, const char* what) {
  const uint64_t before = fast.stats().replays;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({4, 3});
    expect_same({fast(x)}, {object.run(x)}, what);
  }
  EXPECT_GT(fast.stats().replays, before) << what << '\n' << fast.stats();
}

/// Calls both with each change, one call each and then many.
template <class Object, class Fast>
void expect_followed(Object& object, Fast& fast, const std::vector<std::pair<const char*, std::function<void()>>>& changes) {
  expect_equal_until_replayed(object, fast, "at first");
  for (const auto& [what, change] : changes) {
    change();
    const Tensor x = at::randn({4, 3});
    expect_same({fast(x)}, {object.run(x)}, what);
    expect_equal_until_replayed(object, fast, what);
  }
}

std::vector<std::pair<const char*, std::function<void()>>> changes_of(NetImpl& net) {
  return {{"eval", [&net] { net.eval(); }},
          {"train", [&net] { net.train(); }},
          {"other type", [&net] { net.to(at::kDouble); }},
          {"other memory", [&net] { net.weight.set_data(at::full({3}, 5.0)); }},
          {"frozen", [&net] { net.weight.set_requires_grad(false); }}};
}

TEST(GeneratedObjects, ModuleByReference) {
  NetImpl net;
  objects::ByReference object{net};
  graphed::callable<&objects::ByReference::run> fast(object);
  expect_followed(object, fast, changes_of(net));
}

TEST(GeneratedObjects, TrainingStep) {
  NetImpl net, plain_net;
  torch::optim::SGD optimizer({net.weight}, 0.1), plain_optimizer({plain_net.weight}, 0.1);
  objects::Trainer trainer{net, optimizer}, plain{plain_net, plain_optimizer};
  graphed::callable<&objects::Trainer::learn> fast(trainer);
  const auto learn = [&](const char* what) {
    for (int call = 0; call < kCalls; ++call) {
      const Tensor x = at::randn({4, 3});
      expect_same({fast(x), net.weight.detach(), net.weight.grad()}, {plain.learn(x), plain_net.weight.detach(), plain_net.weight.grad()},
                  what);
    }
  };
  const auto both = [&](const auto& change) {
    change(trainer, net);
    change(plain, plain_net);
  };
  learn("train");
  const uint64_t replays = fast.stats().replays;
  EXPECT_GT(replays, 0U) << fast.stats();
  both([](auto&, NetImpl& changed) { changed.eval(); });
  learn("eval");
  EXPECT_GT(fast.stats().replays, replays) << fast.stats();
  both([](auto& changed, NetImpl&) { changed.weight = 0.5; });
  learn("another number");
  both([](auto&, NetImpl& changed) { changed.to(at::kDouble); });
  learn("another type");
  both([](auto& changed, NetImpl& net) {
    net.train();
    changed.weight = 1;
  });
  learn("train again");
}

TEST(GeneratedObjects, ModuleByPointer) {
  NetImpl net, other(3), spare(4);
  objects::ByPointer object{&net};
  graphed::callable<&objects::ByPointer::run> fast(object);
  expect_followed(object, fast, changes_of(net));
  expect_followed(object, fast,
                  {{"replaced", [&] { object.model = &other; }},
                   {"eval of the other", [&] { other.eval(); }},
                   {"no longer null", [&] { object.spare = &spare; }},
                   {"eval of the spare one", [&] { spare.eval(); }},
                   {"null again", [&] { object.spare = nullptr; }}});
}

TEST(GeneratedObjects, ModuleByHolder) {
  objects::ByHolder object;
  graphed::callable<&objects::ByHolder::run> fast(object);
  expect_followed(object, fast, changes_of(*object.model));
  expect_followed(object, fast, {{"replaced", [&] { object.model = Net(7.0); }}, {"eval", [&] { object.model->eval(); }}});
}

TEST(GeneratedObjects, ModuleBySharedPointer) {
  objects::BySharedPointer object{std::make_shared<NetImpl>()};
  graphed::callable<&objects::BySharedPointer::run> fast(object);
  expect_followed(object, fast, changes_of(*object.model));
  expect_followed(object, fast,
                  {{"replaced", [&] { object.model = std::make_shared<NetImpl>(7.0); }}, {"eval", [&] { object.model->eval(); }}});
}

TEST(GeneratedObjects, PrivateMembers) {
  NetImpl net;
  objects::Private object(net, Net(3.0));
  graphed::callable<&objects::Private::run> fast(object);
  expect_followed(object, fast, changes_of(net));
  expect_followed(object, fast, changes_of(object.other()));
  expect_followed(object, fast, {{"number", [&] { object.scale_by(0.5); }}, {"number again", [&] { object.scale_by(1); }}});
}

TEST(GeneratedObjects, ModulesInContainers) {
  objects::InContainers object;
  graphed::callable<&objects::InContainers::run> fast(object);
  NetImpl first(2), second(3);
  expect_followed(object, fast,
                  {{"one more in the list", [&] { object.list.emplace_back(2.0); }},
                   {"eval in the list", [&] { object.list[0]->eval(); }},
                   {"eval in the array", [&] { object.pair_of_nets[1]->eval(); }},
                   {"one in the optional", [&] { object.perhaps.emplace(2.0); }},
                   {"eval in the optional", [&] { (*object.perhaps)->eval(); }},
                   {"one in the map", [&] { object.by_name.emplace("a", Net(4.0)); }},
                   {"eval in the map", [&] { object.by_name.at("a")->eval(); }},
                   {"eval in the pair", [&] { object.with_tensor.first->eval(); }},
                   {"tensor in the pair", [&] { object.with_tensor.second = at::full({3}, 4.0); }},
                   {"eval behind the pointer", [&] { object.owned->eval(); }},
                   {"another behind the reference", [&] { object.wrapped = first; }},
                   {"eval behind the reference", [&] { first.eval(); }}});
  expect_followed(object, fast,
                  {{"one actor", [&] { object.actors.emplace_back(); }},
                   {"eval of the actor", [&] { object.actors[0].net->eval(); }},
                   {"gain of the actor", [&] { object.actors[0].gain = 2; }},
                   {"actor behind a pointer", [&] { object.shared_actor = std::make_shared<objects::Actor>(); }},
                   {"its mode", [&] { object.shared_actor->net->eval(); }},
                   {"its gain", [&] { object.shared_actor->gain = 3; }},
                   {"one in the plain array", [&] { object.plain_array[1] = &second; }},
                   {"eval in the plain array", [&] { second.eval(); }}});
}

TEST(GeneratedObjects, InheritedMembers) {
  objects::Derived object;
  graphed::callable<&objects::Derived::run> fast(object);
  expect_followed(object, fast, changes_of(*object.inherited));
  expect_followed(object, fast, {{"number", [&] { object.shift = 4; }}});
}

TEST(GeneratedObjects, TensorsThatAreReplaced) {
  Tensor referred = at::ones({3});
  objects::Tensors object{at::ones({3}), {at::ones({3})}, std::nullopt, referred};
  graphed::callable<&objects::Tensors::run> fast(object);
  const Tensor first = object.target;
  expect_followed(object, fast,
                  {{"replaced", [&] { object.target = at::full({3}, 4.0); }},
                   {"of another shape", [&] { object.target = at::full({4, 3}, 3.0); }},
                   {"the first one again", [&] { object.target = first; }},
                   {"in a list", [&] { object.list[0] = at::full({3}, 6.0); }},
                   {"one where there was none", [&] { object.offset = at::full({3}, 6.0); }},
                   {"none again", [&] { object.offset.reset(); }},
                   {"behind a reference", [&] { referred = at::full({3}, 8.0); }}});
}

TEST(GeneratedObjects, WhatTheCallableItselfAssigns) {
  objects::Assigning object;
  graphed::callable<&objects::Assigning::run> fast(object);
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({4, 3});
    expect_same({fast(x)}, {x * object.factor + 1}, "result");
  }
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats();
  object.factor = 3;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({4, 3});
    expect_same({fast(x)}, {x * 3.0 + 1}, "result");
  }
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();
}

TEST(GeneratedObjects, StateThatTheCallableReplaces) {
  objects::Recurrent object, plain;
  graphed::callable<&objects::Recurrent::run> fast(object);
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({4, 3});
    expect_same({fast(x)}, {plain.run(x)}, "result");
  }
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats();
}

TEST(GeneratedObjects, CacheThatTheCallableFills) {
  objects::Caching object;
  graphed::callable<&objects::Caching::run> fast(object);
  for (const int64_t power : {2, 3, 4, 2, 3}) {
    for (int call = 0; call < kCalls; ++call) {
      const Tensor x = at::randn({4, 3});
      expect_same({fast(x, power)}, {x * at::full({3}, 2.0).pow(power)}, "result");
    }
  }
  EXPECT_EQ(fast.stats().captures, 3U) << fast.stats();
}

TEST(GeneratedObjects, Numbers) {
  objects::Numbers object;
  object.bits = 1;
  graphed::callable<&objects::Numbers::run> fast(object);
  expect_followed(object, fast,
                  {{"enumerator", [&] { object.mode = objects::Mode::multiply; }},
                   {"float", [&] { object.scale = 0.25F; }},
                   {"bool", [&] { object.is_negative = true; }},
                   {"nested double", [&] { object.config.temperature = 0.5; }},
                   {"array", [&] { object.limits[1] = 7; }},
                   {"number read by another method", [&] { object.shift = 5; }},
                   {"optional", [&] { object.perhaps = 4; }},
                   {"atomic", [&] { object.atomic = 4; }},
                   {"bit-field", [&] { object.bits = 4; }},
                   {"string", [&] { object.name = "twice"; }}});
  const uint64_t captures = fast.stats().captures;
  object.episode = 7;
  object.config.count = 7;
  expect_equal_until_replayed(object, fast, "what no body reads");
  EXPECT_EQ(fast.stats().captures, captures) << fast.stats();
}

TEST(GeneratedObjects, BodyInAnotherFile) {
  objects::Elsewhere object;
  graphed::callable<&objects::Elsewhere::run> fast(object);
  expect_followed(object, fast,
                  {{"double", [&] { object.factor = 3; }},
                   {"nested double", [&] { object.config.temperature = 0.5; }},
                   {"longer list", [&] { object.replay.push_back(at::ones({3})); }}});
}

TEST(GeneratedObjects, OfTemplates) {
  objects::Generic<float> object;
  graphed::callable<&objects::Generic<float>::run> fast(object);
  expect_followed(object, fast, {{"float", [&] { object.factor = 3; }}});
  objects::Generic<int> whole;
  graphed::callable<&objects::Generic<int>::run> fast_whole(whole);
  expect_followed(whole, fast_whole, {{"int", [&] { whole.factor = 3; }}});
}

TEST(GeneratedObjects, PreparedAheadOfACounter) {
  objects::Assigning object;
  graphed::callable<&objects::Assigning::run> fast(object);
  fast.prepare(at::randn({4, 3}));
  const Tensor x = at::randn({4, 3});
  expect_same({fast(x)}, {x * object.factor + 1}, "result");
  EXPECT_EQ(fast.stats().replays, 1U) << fast.stats();
}

TEST(GeneratedObjects, MovedFromThrow) {
  NetImpl net;
  objects::ByReference object{net};
  graphed::callable<&objects::ByReference::run> from(object);
  const Tensor x = at::randn({4, 3});
  from(x);
  auto to = std::move(from);
  const auto expect_moved = [](const auto& use, const char* why) {
    try {
      use();
      FAIL() << "no exception";
    } catch (const graphed::Error& error) {
      EXPECT_STREQ(error.what(), why);
    }
  };
  const char* const of_object = "graphed: this callable has no object: it was moved from, or made of a null pointer";
  const char* const of_callable = "graphed: this callable was moved from: use the one that it was moved to";
  expect_moved([&] { from(x); }, of_object);  // NOLINT(bugprone-use-after-move): what is tested
  expect_moved([&] { from.prepare(x); }, of_object);
  expect_moved([&] { from.stats(); }, of_callable);
  expect_moved([&] { from.explain(); }, of_callable);
  expect_moved([&] { from.reset(); }, of_callable);
  expect_moved([&] { graphed::callable<&objects::ByReference::run> of_nothing(std::shared_ptr<objects::ByReference>{}); }, of_object);
  EXPECT_EQ(to.stats().calls, 1U) << to.stats();
}

}  // namespace
