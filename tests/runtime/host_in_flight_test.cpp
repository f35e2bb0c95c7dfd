// SPDX-License-Identifier: Apache-2.0
//
// Several calls from host to host in flight, and their futures.
#include "support/host_to_host.h"
#include "support/streams.h"

#include <graphed/error.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>

namespace host_in_flight_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(HostInFlight);

TEST_P(HostInFlight, CallsInFlightAndOneBuffer) {
  const network net(device());
  const Tensor nothing = at::zeros({1}, at::TensorOptions(device()));
  const auto body = [&](tensor_list& in) { return net(in); };
  test_callable fast({on_host("x", {1, 6}), {"nothing", {1}}}, body, to_host());
  Tensor buffer = at::empty({1, 6});
  std::vector<future<tensor_list>> coming;
  std::vector<tensor_list> wanted;
  for (int call = 0; call < calls; ++call) {
    buffer.normal_();
    wanted.push_back(expected(body, {buffer, nothing}, device()));
    coming.push_back(fast.async({buffer, nothing}));
    buffer.fill_(-1);
  }
  for (std::size_t call = coming.size(); call-- > 0;) {
    EXPECT_TRUE(coming[call].valid());
    expect_equal(coming[call].get(), wanted[call], static_cast<int>(call));
    EXPECT_FALSE(coming[call].valid());
    EXPECT_THROW(coming[call].get(), Error);
  }
  EXPECT_EQ(fast.stats().replays, static_cast<uint64_t>(calls - warmups)) << fast.stats();
}

TEST_P(HostInFlight, AMovedFutureIsNoLongerValid) {
  const network net(device());
  const auto body = [&](tensor_list& in) { return net(in); };
  test_callable fast({{"x", {1, 6}}}, body, to_host());
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::randn({1, 6}, at::TensorOptions(device()));
    future<tensor_list> first;
    EXPECT_FALSE(first.valid() || first.ready());
    EXPECT_THROW(first.get(), Error);
    first = fast.async({x});
    auto second = std::move(first);
    EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): that is the subject
    EXPECT_THROW(first.get(), Error);
    first = std::move(second);
    EXPECT_FALSE(second.valid());  // NOLINT(bugprone-use-after-move)
    EXPECT_FALSE(second.ready());
    expect_equal(first.get(), expected(body, {x}, device()), call);
  }
}

// The caller may write its argument, and the callable its member, while the result is held.
TEST_P(HostInFlight, ResultsAreNeitherArgumentsNorMembers) {
  const at::TensorOptions options(device());
  const Tensor member = at::zeros({2}, options);
  test_callable fast(
      {{"x", {2}}},
      [&](tensor_list& in) {
        member.add_(in[0]);
        return tensor_list{in[0], member, in[0][0], member, member.slice(0, 1), in[0] * 2};
      },
      to_host());
  std::vector<tensor_list> held;
  std::vector<float> sums;
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::full({2}, static_cast<double>(call), options);
    held.push_back(call % 2 == 0 ? fast({x}) : fast.async({x}).get());
    sums.push_back(static_cast<float>(call) + (sums.empty() ? 0 : sums.back()));
    x.fill_(-1);
  }
  for (int call = 0; call < calls; ++call) {
    const auto is = [](const Tensor& tensor, float value) { return tensor.equal(at::full(tensor.sizes(), value)); };
    const tensor_list& results = held[static_cast<std::size_t>(call)];
    const auto argument = static_cast<float>(call), sum = sums[static_cast<std::size_t>(call)];
    EXPECT_TRUE(is(results[0], argument) && is(results[2], argument) && is(results[5], 2 * argument)) << call << results;
    EXPECT_TRUE(is(results[1], sum) && is(results[3], sum) && is(results[4], sum)) << call << results;
  }
  EXPECT_GE(fast.stats().replays, static_cast<uint64_t>(calls - warmups)) << fast.stats();
}

// As of from_blob: the program writes it again while the result is held.
TEST_P(HostInFlight, ResultsAreNotTheProgramsOwnMemory) {
  std::vector<float> memory(2);
  test_callable fast(
      {{"x", {2}}},
      [&](tensor_list& in) {
        const Tensor on_host = in[0].cpu();
        std::copy_n(on_host.data_ptr<float>(), memory.size(), memory.begin());
        return tensor_list{at::from_blob(memory.data(), {2})};
      },
      to_host());
  std::vector<Tensor> held;
  for (int call = 0; call < calls; ++call) {
    held.push_back(fast({at::full({2}, static_cast<double>(call), at::TensorOptions(device()))})[0]);
  }
  for (int call = 0; call < calls; ++call) {
    EXPECT_TRUE(held[static_cast<std::size_t>(call)].equal(at::full({2}, static_cast<float>(call)))) << call;
  }
}

TEST_P(HostInFlight, FuturesOutliveTheCallable) {
  const network net(device());
  const Tensor nothing = at::zeros({1}, at::TensorOptions(device()));
  const auto body = [&](tensor_list& in) { return net(in); };
  std::vector<future<tensor_list>> coming;
  std::vector<tensor_list> wanted;
  {
    test_callable fast({on_host("x", {1, 6}), {"nothing", {1}}}, body, to_host());
    for (int call = 0; call < calls; ++call) {
      const Tensor x = at::randn({1, 6});
      auto made = fast.async({x, nothing});
      if (call % 2 == 0) {  // others are dropped
        coming.push_back(std::move(made));
        wanted.push_back(expected(body, {x, nothing}, device()));
      }
    }
    fast.reset();
  }
  for (std::size_t i = 0; i < coming.size(); ++i) {
    expect_equal(coming[i].get(), wanted[i], static_cast<int>(i));
  }
}

TEST_P(HostInFlight, AnotherThreadGetsTheResult) {
  const network net(device());
  const Tensor nothing = at::zeros({1}, at::TensorOptions(device()));
  const auto body = [&](tensor_list& in) { return net(in); };
  test_callable fast({on_host("x", {1, 6}), {"nothing", {1}}}, body, to_host());
  for (int call = 0; call < calls; ++call) {
    const Tensor x = at::randn({1, 6});
    auto coming = fast.async({x, nothing});
    tensor_list got;
    std::thread([&] { got = coming.get(); }).join();
    expect_equal(got, expected(body, {x, nothing}, device()), call);
  }
}

TEST_P(HostInFlight, ReadyWithoutAWait) {
  const network net(device());
  const Tensor nothing = at::zeros({1}, at::TensorOptions(device()));
  test_callable fast({on_host("x", {1, 6}), {"nothing", {1}}}, [&](tensor_list& in) { return net(in); }, to_host());
  for (int call = 0; call < calls; ++call) {
    auto coming = fast.async({at::randn({1, 6}), nothing});
    while (!coming.ready()) {
      std::this_thread::yield();
    }
    EXPECT_EQ(coming.get().size(), 2U);
    EXPECT_FALSE(coming.ready());
  }
}

TEST_P(HostInFlight, ThreadsCallSideBySide) {
  const network net(device());
  const Tensor nothing = at::zeros({1}, at::TensorOptions(device()));
  const auto body = [&](tensor_list& in) { return net(in); };
  test_callable fast({on_host("x", {1, 6}), {"nothing", {1}}}, body, to_host());
  fast.prepare({at::randn({1, 6}), nothing});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&] {
      for (int call = 0; call < 50; ++call) {
        const Tensor x = at::randn({1, 6});
        const tensor_list got = fast({x, nothing});
        const tensor_list wanted = expected(body, {x, nothing}, device());
        wrong += at::equal(got[0], wanted[0]) && at::equal(got[1], wanted[1]) ? 0 : 1;
      }
    });
  }
  for (auto& each : threads) {
    each.join();
  }
  EXPECT_EQ(wrong, 0);
}

// Short calls are polled for. Then some take longer, on the default stream and on another one, and short ones follow.
TEST_P(HostInFlight, SomeCallsAreLongerThanPolling) {
  const network net(device());
  const int64_t size = device().is_cuda() ? 2048 : 2;
  const Tensor nothing = at::zeros({1}, at::TensorOptions(device())), square = at::ones({size, size}, at::TensorOptions(device()));
  const auto body = [&](tensor_list& in) { return net(in); };
  const test_stream other(device());
  auto fast = std::make_unique<test_callable>(std::vector<argument>{on_host("x", {1, 6}), {"nothing", {1}}}, body, to_host());
  for (int round = 0; round < 4; ++round) {
    const auto on_stream = round % 2 == 0 ? c10::OptionalStreamGuard() : other.make_current();
    for (int call = 0; call < 12 * calls; ++call) {
      const Tensor x = at::randn({1, 6});
      expect_equal((*fast)({x, nothing}), expected(body, {x, nothing}, device()), call);
    }
    std::vector<future<tensor_list>> coming;
    std::vector<tensor_list> wanted;
    for (int call = 0; call < calls; ++call) {
      const Tensor x = at::randn({1, 6});
      wanted.push_back(expected(body, {x, nothing}, device()));
      for (int product = 0; product < 20; ++product) {
        at::mm(square, square);
      }
      coming.push_back(fast->async({x, nothing}));
    }
    for (std::size_t call = 0; call < coming.size(); ++call) {
      expect_equal(coming[call].get(), wanted[call], static_cast<int>(call));
    }
  }
  at::mm(square, square);
  fast->async({at::randn({1, 6}), nothing});
  fast.reset();  // while the graph runs
  EXPECT_EQ(warnings_.all(), "");
}

constexpr int told_apart = 42;

// The index comes from the host, and only a replay's is out of bounds: then no results are written.
[[noreturn]] void meet_an_assertion(c10::Device device, int calls_before) {
  test_callable fast(
      {on_host("index", {1}, at::kLong), {"table", {4}}}, [](tensor_list& in) { return tensor_list{in[1].index_select(0, in[0]) * 2}; },
      to_host());
  const Tensor table = at::randn({4}, at::TensorOptions(device));
  for (int call = 0; call < calls_before; ++call) {
    fast({at::full({1}, call % 4, at::kLong), table});
  }
  auto earlier = fast.async({at::full({1}, 1, at::kLong), table});
  try {
    fast({at::full({1}, 1000, at::kLong), table});
  } catch (const DeviceError& error) {
    std::cerr << error.what() << std::endl;
    std::_Exit(told_apart);
  } catch (const std::exception& error) {
    std::cerr << "another type of exception: " << error.what() << std::endl;
  }
  std::_Exit(1);
}

TEST_P(HostInFlight, AnAssertionOfAKernelIsADeviceError) {
  if (device().is_cpu()) {
    return;
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int calls_before : {calls, 20 * calls}) {
    EXPECT_EXIT(meet_an_assertion(device(), calls_before), ::testing::ExitedWithCode(told_apart),
                "can no longer be used by this process: device-side assert");
  }
}

}  // namespace host_in_flight_test
