// SPDX-License-Identifier: Apache-2.0
//
// Operators below torch::nn that tests/parity and tests/runtime omit: scattered and indexed writes, chains of written views, lists of
// tensors; under autocast and in inference mode; two threads at once.
#include "support/autocast.h"
#include "support/device_test.h"

#include <c10/core/InferenceMode.h>

#include <thread>

namespace operators_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Families);

constexpr int calls = 6;
constexpr uint64_t replays = calls - 2;

/// Six calls with a real `x` [5, 4] that requires grad and an index [5, 4] into five rows, forward and backward.
void expect_graphed(c10::Device device, const test_callable::body& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", {5, 4}, at::kFloat, /*grad=*/true}, {"rows", {5, 4}, at::kLong}}, body);
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.leaf({5, 4});
      const Tensor rows =
          at::rand({5, 4}, run.options()).argsort(/*stable=*/false, /*dim=*/0);  // each row once in each column: no order of writes matters
      const tensor_list results = f({x, rows});
      run.see("result", results);
      Tensor loss = at::zeros({}, run.options());
      for (const auto& result : results) {
        loss = loss + (result * run.random(result.sizes())).sum();
      }
      loss.backward();
      run.see_grad("x.grad", x);
    }
    f.expect_replays(replays, replays);
  });
}

TEST_P(Families, Scatter) {
  expect_graphed(device(), [](tensor_list& in) {
    const Tensor zeros = at::zeros_like(in[0]);
    return tensor_list{zeros.scatter(0, in[1], in[0]), in[0].scatter(0, in[1], 2.0), zeros.scatter_add(0, in[1], in[0])};
  });
}

TEST_P(Families, ScatterReduce) {
  expect_graphed(device(), [](tensor_list& in) {
    const Tensor ones = at::ones_like(in[0]);
    return tensor_list{ones.scatter_reduce(0, in[1], in[0], "sum"), ones.scatter_reduce(0, in[1], in[0], "amax", /*include_self=*/false),
                       ones.scatter_reduce(0, in[1], in[0], "mean")};
  });
}

TEST_P(Families, ScatterInPlace) {
  expect_graphed(device(), [](tensor_list& in) {
    Tensor y = in[0] * 2;
    y.scatter_(0, in[1], in[0].exp());
    y.scatter_add_(0, in[1], in[0]);
    y.index_fill_(0, in[1].select(1, 0).narrow(0, 0, 2), 3.0);
    return tensor_list{y};
  });
}

TEST_P(Families, IndexedWrites) {
  expect_graphed(device(), [](tensor_list& in) {
    const Tensor rows = in[1].select(1, 0);
    Tensor y = in[0] * 2;
    y.index_put_({rows}, in[0].sin());
    y.index_put_({rows, in[1].select(1, 1).remainder(4)}, in[0].select(1, 0), /*accumulate=*/false);
    y.index_add_(0, rows, in[0]);
    y.index_copy_(0, rows.narrow(0, 0, 2), in[0].narrow(0, 1, 2));
    return tensor_list{y, at::index_put(in[0], {rows}, y.detach(), /*accumulate=*/true)};
  });
}

TEST_P(Families, MasksWithoutShapesOfTheirOwn) {
  expect_graphed(device(), [](tensor_list& in) {
    const Tensor mask = in[0] > 0;
    Tensor y = in[0].masked_fill(mask, 1.5);
    y = at::where(mask, y.exp(), y * 2);
    y.masked_fill_(in[1] > 2, 0);
    return tensor_list{y, in[0].masked_fill(mask.logical_not(), 0).cumsum(0)};
  });
}

TEST_P(Families, ChainOfViewsThatIsWritten) {
  expect_graphed(device(), [](tensor_list& in) {
    Tensor y = in[0].clone();
    Tensor columns = y.t().unsqueeze(0).expand({1, 4, 5}).squeeze(0);
    columns.select(0, 1).mul_(3).add_(1);
    y.view({-1}).narrow(0, 3, 7).mul_(0.5);
    y.unfold(0, 2, 2).select(2, 0).sub_(0.5);
    y.diagonal().zero_();
    y.transpose_(0, 1);
    return tensor_list{y, columns * 2, y.chunk(2)[1]};
  });
}

TEST_P(Families, StridedViewThatIsWritten) {
  expect_graphed(device(), [](tensor_list& in) {
    Tensor y = in[0] + 1;
    y.as_strided({2, 3}, {8, 1}, 4).mul_(2);
    Tensor halves = at::view_as_complex(y.view({5, 2, 2}));
    halves.mul_(c10::complex<double>(0, 1));
    return tensor_list{y, at::view_as_real(halves).sum(2)};
  });
}

TEST_P(Families, ListsOfTensors) {
  expect_graphed(device(), [](tensor_list& in) {
    const tensor_list parts = in[0].unbind(0);
    const std::vector<at::Scalar> factors{1, 2, 3, 4, 5};
    tensor_list results = at::_foreach_mul(parts, factors);
    results = at::_foreach_add(results, at::_foreach_exp(parts), 0.5);
    for (const auto& norm : at::_foreach_norm(parts)) {
      results.push_back(norm);
    }
    return results;
  });
}

TEST_P(Families, ListsOfTensorsWrittenByTensors) {
  expect_same([](scenario& run) {
    const tensor_list state{run.random({5, 4}), run.random({3})}, other{run.random({5, 4}), run.random({3})};
    subject f(run, {{"step", {}}}, [&](tensor_list& in) {
      at::_foreach_addcdiv_(state, other, at::_foreach_clamp_min(at::_foreach_abs(other), 0.1), 0.3);
      at::_foreach_mul_(state, in[0]);
      at::_foreach_copy_(other, at::_foreach_sign(state));
      at::_foreach_zero_(tensor_list{other[1]});
      return tensor_list{state[0].sum()};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("result", f({run.random({})}));
      run.see("state", state);
      run.see("other", other);
    }
    f.expect_replays(replays);
  });
}

TEST_P(Families, UnderAutocast) {
  expect_same([](scenario& run) {
    torch::nn::GRU gru(4, 4);
    torch::nn::Sequential head(torch::nn::LayerNorm(torch::nn::LayerNormOptions({4})), torch::nn::Linear(4, 3));
    gru->to(run.device());
    head->to(run.device());
    subject f(run, {{"x", {5, 2, 4}, at::kFloat, /*grad=*/true}, {"target", {10}, at::kLong}}, [&](tensor_list& in) {
      const Tensor scores = head->forward(std::get<0>(gru->forward(in[0]))).flatten(0, 1);
      return tensor_list{at::nll_loss(scores.log_softmax(1), in[1]), scores};
    });
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.leaf({5, 2, 4});
      tensor_list results;
      {
        const autocast cast(run.device().type(), at::kBFloat16);
        results = f({x, at::randint(3, {10}, run.options(at::kLong))});
      }
      run.see("result", results);
      results[0].backward();
      run.see_grad("x.grad", x);
      for (const auto& parameter : head->parameters()) {
        run.see_grad("a parameter's gradient", parameter);
      }
    }
    f.expect_replays(replays, replays);
  });
}

TEST_P(Families, InInferenceMode) {
  expect_same([](scenario& run) {
    torch::nn::Sequential net(torch::nn::Conv1d(torch::nn::Conv1dOptions(3, 4, 3)), torch::nn::BatchNorm1d(4), torch::nn::GELU(),
                              torch::nn::MaxPool1d(torch::nn::MaxPool1dOptions(2).stride(1)));
    torch::nn::LSTM lstm(5, 5);
    net->to(run.device());
    net->eval();
    lstm->to(run.device());
    subject f(run, {{"x", {2, 3, 8}}}, [&](tensor_list& in) {
      Tensor y = net->forward(in[0]);
      y.select(1, 0).add_(1);
      const auto result = std::get<0>(lstm->forward(y));
      return tensor_list{result, at::cat(result.chunk(2, 1), 2)};
    });
    const c10::InferenceMode inference;
    for (int call = 0; call < calls; ++call) {
      run.see("result", f({run.random({2, 3, 8})}));
    }
    f.expect_replays(replays);
  });
}

// Both replay at the same time, each its own LSTM and scatter, forward and backward.
TEST_P(Families, InTwoThreads) {
  expect_same([](scenario& run) {
    constexpr int threads = 2;
    std::vector<tensor_list> seen(threads);
    std::vector<torch::nn::LSTM> nets;
    std::vector<std::vector<tensor_list>> inputs(threads);
    for (int thread = 0; thread < threads; ++thread) {
      nets.emplace_back(4, 4);
      nets.back()->to(run.device());
      for (int call = 0; call < 200; ++call) {
        inputs[thread].push_back(tensor_list{run.leaf({5, 2, 4}), at::rand({5, 8}, run.options()).argsort(/*stable=*/false, /*dim=*/0)});
      }
    }
    const auto work = [&](int thread) {
      auto& net = nets[thread];
      subject f(run, {{"x", {5, 2, 4}, at::kFloat, /*grad=*/true}, {"rows", {5, 8}, at::kLong}}, [&](tensor_list& in) {
        const Tensor y = std::get<0>(net->forward(in[0])).flatten(1);
        return tensor_list{at::zeros_like(y).scatter(0, in[1], y).cumsum(0)};
      });
      for (const auto& input : inputs[thread]) {
        const Tensor y = f(input)[0];
        y.pow(2).sum().backward();
        seen[thread].insert(seen[thread].end(), {y.detach(), input[0].grad()});
      }
      if (run.graphed()) {
        EXPECT_GE(f.stats().replays, 100U) << f.stats();  // a capture waits for no other: the original function runs
        EXPECT_GE(f.stats().backward_replays, 100U) << f.stats();
      }
    };
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back(work, thread);
    }
    for (auto& thread : running) {
      thread.join();
    }
    for (int thread = 0; thread < threads; ++thread) {
      run.see("thread " + std::to_string(thread), seen[thread]);
    }
  });
}

}  // namespace operators_test
