// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results in the memory of the host, of a callable that computes on the device.
#include "support/host_to_host.h"

#include <graphed/disable.h>

namespace host_to_host_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(HostToHost);

TEST_P(HostToHost, ResultsAreThoseOfTheDevice) {
  const network net(device());
  const auto body = [&](tensor_list& in) { return tensor_list{at::addmm(net.b, in[0], net.w).tanh() * in[1]}; };
  test_callable fast({on_host("x", {1, 6}), {"scale", {8}}}, body, to_host());
  const Tensor scale = at::randn({8}, at::TensorOptions(device()));
  std::vector<tensor_list> held, wanted;
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::randn({1, 6});
    held.push_back(fast({x, scale}));
    wanted.push_back(expected(body, {x, scale}, device()));
  }
  for (int call = 0; call < calls; ++call) {
    expect_equal(held[static_cast<std::size_t>(call)], wanted[static_cast<std::size_t>(call)], call);
  }
  EXPECT_EQ(fast.stats().replays, static_cast<uint64_t>(calls - warmups)) << fast.stats();
  EXPECT_EQ(fast.stats().miss_count(), 0U) << fast.stats();
}

TEST_P(HostToHost, ResultsOfEveryLayout) {
  const Tensor outside = at::randn({3, 4}, at::TensorOptions(device()));
  const auto body = [&](tensor_list& in) {
    const Tensor y = in[0] * 2 + in[1];
    return tensor_list{y.t(),
                       y.select(1, 1),
                       y[0].expand({3, 4}),
                       Tensor(),
                       in[0],
                       y,
                       y,
                       outside,
                       y.narrow(1, 1, 2),
                       y.sum(),
                       y.gt(0),
                       y.to(at::kHalf).slice(1, 1),
                       at::complex(y, y).conj(),
                       y.slice(0, 1, 1)};
  };
  test_callable fast({on_host("x", {3, 4}), {"z", {3, 4}}}, body, to_host());
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::randn({3, 4}), z = at::randn({3, 4}, at::TensorOptions(device()));
    expect_equal(fast({x, z}), expected(body, {x, z}, device()), call);
  }
  EXPECT_EQ(fast.stats().replays, static_cast<uint64_t>(calls - warmups)) << fast.stats() << warnings_.all();
}

TEST_P(HostToHost, ArgumentsOfEveryLayout) {
  const auto body = [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; };
  test_callable fast({on_host("x", {4, 6}), {"w", {6, 3}}}, body, to_host());
  const Tensor w = at::randn({6, 3}, at::TensorOptions(device()));
  for (int call = 0; call < 3 * calls; ++call) {
    const Tensor x = call % 3 == 0 ? at::randn({4, 6}) : call % 3 == 1 ? at::randn({6, 4}).t() : at::randn({4, 20}).narrow(1, 2, 6);
    expect_equal(fast({x, w}), expected(body, {x, w}, device()), call);
  }
  EXPECT_EQ(fast.stats().miss_count(), 0U) << fast.stats();
}

// The first is read over the bus, the second is copied.
TEST_P(HostToHost, LargeTensors) {
  const auto body = [](tensor_list& in) { return tensor_list{in[0] * in[2] + in[1][0], in[0].sum(), in[1].mul(3)}; };
  const std::vector<argument> arguments{on_host("x", {1024, 512}), on_host("y", {3, 1024, 512}), {"z", {}}};
  test_callable fast(arguments, body, to_host());
  const Tensor z = at::full({}, 3.0, at::TensorOptions(device()));
  std::vector<future<tensor_list>> coming;
  std::vector<tensor_list> wanted;
  Tensor x = at::empty({1024, 512}), y = at::empty({3, 1024, 512});
  for (int call = 0; call < calls; ++call) {
    x.normal_();
    y.normal_();
    wanted.push_back(expected(body, {x, y, z}, device()));
    coming.push_back(fast.async({x, y, z}));
  }
  for (std::size_t i = 0; i < coming.size(); ++i) {
    expect_equal(coming[i].get(), wanted[i], static_cast<int>(i));
  }
}

TEST_P(HostToHost, ManyResults) {
  const auto body = [](tensor_list& in) {
    tensor_list results;
    for (int i = 0; i < 150; ++i) {
      results.push_back(in[0] + i + in[1]);
    }
    return results;
  };
  test_callable fast({on_host("x", {5}), {"z", {5}}}, body, to_host());
  for (int call = 0; call < 6; ++call) {
    const Tensor x = at::randn({5}), z = at::randn({5}, at::TensorOptions(device()));
    expect_equal(fast({x, z}), expected(body, {x, z}, device()), call);
  }
}

TEST_P(HostToHost, NoResults) {
  Tensor total = at::zeros({4}, at::TensorOptions(device()));
  const auto body = [&](tensor_list& in) {
    total.add_(in[0]);
    return tensor_list();
  };
  test_callable fast({on_host("x", {4}), {"z", {1}}}, body, to_host());
  Tensor sum = at::zeros({4});
  const Tensor z = at::zeros({1}, at::TensorOptions(device()));
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::ones({4}) * call;
    sum.add_(x);
    EXPECT_TRUE(fast.async({x, z}).get().empty());
    EXPECT_TRUE(at::equal(total.cpu(), sum)) << call;
  }
}

TEST_P(HostToHost, ArgumentsThatAreWrittenStayOnTheDevice) {
  const auto body = [](tensor_list& in) {
    in[1].mul_(0.5).add_(in[0]);
    return tensor_list{in[1].sum()};
  };
  test_callable fast({on_host("x", {4}), {"state", {4}, at::kFloat, false, true}}, body, to_host());
  Tensor state = at::zeros({4}, at::TensorOptions(device())), other = state.clone();
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::randn({4});
    tensor_list in{x.to(device()), other};
    const Tensor wanted = body(in)[0].cpu();
    expect_equal(fast({x, state}), {wanted}, call);
    EXPECT_TRUE(at::equal(state, other)) << call;
  }
}

TEST_P(HostToHost, PaddedBatches) {
  settings some = to_host();
  some.sizes = {8};
  some.pad = PadFill::Zero;
  const auto body = [](tensor_list& in) { return tensor_list{in[0] * 2 + in[1], (in[0] + in[1]).sum(1)}; };
  test_callable fast({on_host("x", {B, 4}), {"z", {4}}}, body, some);
  const Tensor z = at::randn({4}, at::TensorOptions(device()));
  for (int call = 0; call < 30; ++call) {
    const Tensor x = at::randn({call % 8 + 1, 4});
    expect_equal(fast({x, z}), expected(body, {x, z}, device()), call);
  }
  EXPECT_EQ(fast.stats().miss_count(), 0U) << fast.stats();
  EXPECT_GT(fast.stats().replays, 10U) << fast.stats();
}

TEST_P(HostToHost, MissesRunTheOriginalFunction) {
  const network net(device());
  const Tensor nothing = at::zeros({1}, at::TensorOptions(device()));
  const auto body = [&](tensor_list& in) { return net(in); };
  test_callable fast({on_host("x", {1, 6}), {"nothing", {1}}}, body, to_host());
  for (int call = 0; call < 4; ++call) {
    const Tensor x = at::randn({1, 6});
    expect_equal(fast({x, nothing}), expected(body, {x, nothing}, device()), call);
  }
  const Tensor two = at::randn({2, 6});
  expect_equal(fast({two, nothing}), expected(body, {two, nothing}, device()));
  EXPECT_EQ(fast.misses(Miss::Shape), 1U);
  {
    const DisableGuard eager;
    const Tensor x = at::randn({1, 6});
    auto coming = fast.async({x, nothing});
    EXPECT_TRUE(coming.ready());
    expect_equal(coming.get(), expected(body, {x, nothing}, device()));
    EXPECT_EQ(fast.misses(Miss::Disabled), 1U);
  }
  if (!device().is_cpu()) {
    const Tensor there = at::randn({1, 6}, at::TensorOptions(device()));
    expect_equal(fast({there, nothing}), expected(body, {there, nothing}, device()));
    EXPECT_EQ(fast.misses(Miss::Device), 1U);
    EXPECT_NE(warnings_.all().find("parameter 'x': expected cpu, got cuda:0"), std::string::npos) << warnings_.all();
  }
}

TEST_P(HostToHost, AbsentArguments) {
  const auto body = [](tensor_list& in) { return tensor_list{in[0].defined() ? in[1] + in[0] : in[1] * 2}; };
  test_callable fast({on_host("x", {4}, at::kFloat, flags::optional), {"z", {4}}}, body, to_host());
  for (int call = 0; call < 2 * calls; ++call) {
    const Tensor x = call % 2 == 0 ? at::randn({4}) : Tensor(), z = at::randn({4}, at::TensorOptions(device()));
    expect_equal(fast({x, z}), expected(body, {x, z}, device()), call);
  }
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();
}

TEST_P(HostToHost, GradientsOfTheOthers) {
  const auto body = [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; };
  test_callable fast({on_host("x", {2, 3}), {"w", {3, 4}, at::kFloat, true}}, body);
  const Tensor w = at::randn({3, 4}, at::TensorOptions(device())).requires_grad_(), same = w.detach().clone().requires_grad_();
  for (int call = 0; call < calls; ++call) {
    Tensor x = at::randn({2, 3});
    const Tensor before = x.to(device()).clone();
    const Tensor result = fast({x, w})[0];
    x.fill_(7);  // the graph has a copy of it
    EXPECT_EQ(result.device(), device());
    result.sum().backward();
    tensor_list in{before, same};
    const Tensor wanted = body(in)[0];
    wanted.sum().backward();
    EXPECT_TRUE(at::equal(result, wanted)) << call;
    EXPECT_TRUE(at::equal(w.grad(), same.grad())) << call;
  }
  EXPECT_EQ(fast.stats().backward_replays, static_cast<uint64_t>(calls - warmups)) << fast.stats();
}

// In a warm-up, in a replay, and in a call that no graph serves; by operators, and past them.
TEST_P(HostToHost, ABufferThatIsFilledAgainBeforeTheBackward) {
  const auto body = [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; };
  test_callable fast({on_host("x", {2, 3}), {"w", {3, 4}, at::kFloat, true}}, body);
  const Tensor w = at::randn({3, 4}, at::TensorOptions(device())).requires_grad_(), same = w.detach().clone().requires_grad_();
  const std::vector<Tensor> buffers{at::empty({2, 3}), at::empty({3, 2}).t(), at::empty({2, 8}).narrow(1, 2, 3),
                                    at::empty({3}).expand({2, 3})};
  for (int call = 0; call < 4 * calls; ++call) {
    const Tensor& x = buffers[static_cast<std::size_t>(call) % buffers.size()];
    const Tensor values = at::randint(10, {3}, at::kFloat);  // of any layout, sums are exact
    x[0].copy_(values);
    x[1].copy_(values);
    tensor_list in{x.to(device()).clone(), same};
    const auto off = call % 7 == 6 ? std::make_unique<DisableGuard>() : nullptr;
    const Tensor result = fast({x, w})[0];
    if (call % 2 == 0) {
      x[0].fill_(7);
    } else {
      static_cast<float*>(x.data_ptr())[0] = 7;
    }
    result.sum().backward();
    body(in)[0].sum().backward();
    EXPECT_TRUE(at::equal(w.grad(), same.grad())) << call;
  }
  EXPECT_GT(fast.stats().backward_replays, static_cast<uint64_t>(calls)) << fast.stats();
}

TEST_P(HostToHost, AStepThatReturnsItsLoss) {
  const network net(device()), other(net);
  network same(device());
  same.w = net.w.detach().clone().requires_grad_();
  same.b = net.b.detach().clone().requires_grad_();
  const auto step = [](const network& of, const Tensor& x, const Tensor& rate) {
    tensor_list in{x};
    of.w.mutable_grad().reset();
    of.b.mutable_grad().reset();
    const Tensor loss = of(in)[0].pow(2).mean();
    loss.backward();
    const c10::NoGradGuard no_history;
    of.w.sub_(of.w.grad() * rate);
    of.b.sub_(of.b.grad() * rate);
    return loss.detach();
  };
  settings some = to_host();
  some.step = true;
  const auto body = [&](tensor_list& in) { return tensor_list{step(net, in[0], in[1])}; };
  test_callable fast({on_host("x", {16, 6}), {"rate", {}}}, body, some);
  const Tensor rate = at::full({}, 0.1, at::TensorOptions(device()));
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::randn({16, 6});
    const Tensor loss = fast({x, rate})[0];
    EXPECT_TRUE(loss.is_cpu());
    EXPECT_TRUE(at::equal(loss, step(same, x.to(device()), rate).cpu())) << call;
  }
  EXPECT_TRUE(at::equal(net.w, same.w));
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats() << warnings_.all();
}

TEST_P(HostToHost, RandomNumbers) {
  const auto body = [](tensor_list& in) { return tensor_list{in[0] + at::randn_like(in[1]), at::rand({3}, in[1].options())}; };
  test_callable fast({on_host("x", {4}), {"z", {4}}}, body, to_host());
  const Tensor z = at::zeros({4}, at::TensorOptions(device()));
  std::vector<tensor_list> graphed, plain;
  const Tensor x = at::randn({4});
  at::manual_seed(3);
  for (int call = 0; call < calls; ++call) {
    graphed.push_back(fast({x, z}));
  }
  at::manual_seed(3);
  for (int call = 0; call < calls; ++call) {
    plain.push_back(expected(body, {x, z}, device()));
  }
  for (int call = 0; call < calls; ++call) {
    expect_equal(graphed[static_cast<std::size_t>(call)], plain[static_cast<std::size_t>(call)], call);
  }
}

TEST_P(HostToHost, CapturedAhead) {
  const network net(device());
  const Tensor nothing = at::zeros({1}, at::TensorOptions(device()));
  const auto body = [&](tensor_list& in) { return net(in); };
  settings some = to_host();
  some.sizes = {1, 4};
  test_callable fast({on_host("x", {B, 6}), {"nothing", {1}}}, body, some);
  fast.prepare({at::randn({1, 6}), nothing});
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::randn({call % 2 == 0 ? 1 : 4, 6});
    expect_equal(fast({x, nothing}), expected(body, {x, nothing}, device()), call);
  }
  EXPECT_EQ(fast.stats().warmups, 0U) << fast.stats();
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();
}

TEST_P(HostToHost, PinnedMemoryIsCounted) {
  const auto body = [](tensor_list& in) { return tensor_list{in[0] + in[1]}; };
  test_callable fast({on_host("x", {1000}), {"y", {1000}}}, body, to_host());
  const Tensor x = at::randn({1000}), y = at::randn({1000}, at::TensorOptions(device()));
  const Estimate expected = fast.estimate({x, y});
  EXPECT_EQ(fast.stats().bytes_pinned, 0U) << fast.stats();
  fast.prepare({x, y});
  const Statistics stats = fast.stats();
  EXPECT_EQ(stats.bytes_pinned, expected.bytes_pinned());
  EXPECT_EQ(stats.bytes_held, expected.bytes_held()) << "of the device alone";
  constexpr uint64_t entries = 4;
  if (device().is_cuda()) {
    EXPECT_GE(stats.bytes_pinned, 2 * entries * x.nbytes()) << stats;
    EXPECT_LE(stats.bytes_pinned, 3 * entries * x.nbytes()) << stats;
    EXPECT_NE(fast.explain().find("pinned memory of the host"), std::string::npos) << fast.explain();
  } else {
    EXPECT_EQ(stats.bytes_pinned, 0U) << "there the memory of the host is the device's";
  }
  fast({x, y});
  EXPECT_EQ(fast.stats().bytes_pinned, stats.bytes_pinned);
  fast.reset();
  EXPECT_EQ(fast.stats().bytes_pinned, 0U) << fast.stats();
}

// Without another tensor that shows a device, it is that of the machine's GPU.
TEST(HostToHostDevice, WithHostArgumentsAlone) {
  const c10::Device device = at::hasCUDA() ? c10::Device(at::kCUDA, 0) : c10::Device(at::kCPU);
  const auto body = [](tensor_list& in) { return tensor_list{in[0] * 2}; };
  c10::Device seen = at::kCPU;
  test_callable fast({on_host("x", {4})}, [&](tensor_list& in) { return seen = in[0].device(), body(in); }, to_host());
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::randn({4});
    expect_equal(fast({x}), expected(body, {x}, device), call);
    EXPECT_EQ(seen.type(), device.type());
  }
  EXPECT_EQ(fast.stats().replays, static_cast<uint64_t>(calls - warmups)) << fast.stats();
}

}  // namespace host_to_host_test
