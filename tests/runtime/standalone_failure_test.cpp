// SPDX-License-Identifier: Apache-2.0
//
// A capture by hand that fails is undone completely: tensors, random numbers, the graph itself, the next capture.
#include "support/standalone.h"

#include <graphed/error.h>

#include <stdexcept>

namespace standalone_failure_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class StandaloneFailure : public device_test {
 protected:
  at::TensorOptions options() const { return at::TensorOptions(at::kFloat).device(device()); }
  Tensor random() const { return at::randn({16, 8}, options()); }

  // `sabotage` comes after an operator that writes outside and one that draws.
  template <class Error>
  void expect_put_back(const std::string& message, const std::function<void(const Tensor&)>& sabotage) {
    const Tensor counter = at::zeros({4}, options());
    at::manual_seed(5);
    const Tensor next = random();
    at::manual_seed(5);
    const PoolHandle pool = graph_pool_handle(device());
    Graph graph(device());
    const auto attempt = [&] {
      const graphed::CaptureGuard scope(graph, {std::nullopt, pool});
      counter.add_(1);
      sabotage(at::dropout(counter, 0.5, true));
    };
    EXPECT_TRUE(contains(text_of<Error>(attempt), message));
    EXPECT_FALSE(graph.capturing());
    EXPECT_FALSE(is_current_stream_capturing(device()));
    EXPECT_TRUE(same_bits(counter, at::zeros({4}, options())));
    EXPECT_TRUE(same_bits(random(), next));
    EXPECT_TRUE(contains(text_of<Error>([&] { graph.instantiate(); }), "nothing was captured"));
    {
      const graphed::CaptureGuard scope(graph, {std::nullopt, pool});
      counter.add_(2);
    }
    graph.instantiate().replay();
    EXPECT_TRUE(same_bits(counter, at::full({4}, 2, options()))) << "the same graph, into the same pool";
  }
};
INSTANTIATE_TEST_SUITE_P(, StandaloneFailure, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); });

TEST_P(StandaloneFailure, ByTheUsersException) {
  expect_put_back<std::domain_error>("the user's own", [](const Tensor&) { throw std::domain_error("the user's own"); });
}

TEST_P(StandaloneFailure, ByReadingAValueOnTheHost) {
  expect_put_back<std::exception>(device().is_cpu() ? "_local_scalar_dense" : "captur", [](const Tensor& y) { y.sum().item<float>(); });
}

TEST_P(StandaloneFailure, ByReadingAValueAndCatchingTheError) {
  expect_put_back<CaptureError>("Graph::capture_end: the capture failed; the last operator was aten::mul.Tensor", [](const Tensor& y) {
    EXPECT_ANY_THROW(y.sum().item<float>());
    EXPECT_ANY_THROW(y.sum().item<float>());
    try {
      const Tensor after = y * y;
    } catch (const std::exception&) {  // CUDA's capture is broken by now
    }
  });
}

TEST_P(StandaloneFailure, ByAShapeThatDependsOnValues) {
  expect_put_back<std::exception>(device().is_cpu() ? "aten::nonzero" : "captur", [](const Tensor& y) { at::nonzero(y); });
}

TEST_P(StandaloneFailure, ByResettingTheGraph) {
  Graph graph(device());
  const Tensor counter = at::zeros({4}, options());
  {
    const graphed::CaptureGuard scope(graph);
    counter.add_(1);
    graph.reset();
    EXPECT_FALSE(graph.capturing());
  }
  EXPECT_TRUE(same_bits(counter, at::zeros({4}, options())));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.instantiate(); }), "nothing was captured"));
}

TEST_P(StandaloneFailure, ByDestroyingTheGraph) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "needs a stream: see cuda/standalone_test.cpp";
  }
  const Tensor counter = at::zeros({4}, options());
  {
    Graph graph(device());
    graph.capture_begin();
    counter.add_(1);
  }
  EXPECT_TRUE(same_bits(counter, at::zeros({4}, options())));
  Tensor y;
  make_graph(device(), [&] { y = counter + counter; }).replay();
  EXPECT_TRUE(same_bits(y, counter));
}

TEST_P(StandaloneFailure, InADestructorThatRunsForAnotherException) {
  struct captures_when_it_dies {
    c10::Device device;
    Tensor x;
    Tensor* y;
    ~captures_when_it_dies() {
      make_graph(device, [&] { *y = x + x; }).replay();
    }
  };
  const Tensor x = random();
  Tensor y;
  try {
    const captures_when_it_dies guard{device(), x, &y};
    throw std::runtime_error("unwinding");
  } catch (const std::runtime_error&) {
  }
  EXPECT_TRUE(same_bits(y, x + x));
}

}  // namespace standalone_failure_test
