// SPDX-License-Identifier: Apache-2.0
//
// Operators whose results depend on values in ways that a graph could freeze, or that have many results. Upstream has no tests of them
// under graphs, but for its lists of incompatible operators (test_cudagraph_trees.py, test_incompatible_cudagraph_ops_*).
#include "support/device_test.h"

#include <torch/nn.h>

namespace operators_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Operators);

TEST_P(Operators, LossWithLengthsInTensors) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "the order of its sums differs from run to run";
  }
  expect_same([](scenario& run) {
    subject f(run, {{"x", {10, 2, 5}, at::kFloat, true}, {"targets", {2, 4}, at::kLong}, {"lengths", {2}, at::kLong}}, [](tensor_list& in) {
      return tensor_list{at::ctc_loss(in[0].log_softmax(2), in[1], in[2] + 4, in[2], 0, at::Reduction::None)};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({10, 2, 5});
      const Tensor y = f({x, at::randint(1, 5, {2, 4}, run.options(at::kLong)), at::randint(1, 5, {2}, run.options(at::kLong))})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("x.grad", x);
    }
  });
}

TEST_P(Operators, PackedSequence) {
  expect_same([](scenario& run) {
    torch::nn::GRU gru(4, 3);
    gru->to(run.device());
    subject f(run, {{"x", {3, 3, 4}}, {"lengths", {3}, at::kLong}}, [&](tensor_list& in) {
      const auto packed = torch::nn::utils::rnn::pack_padded_sequence(in[0], in[1]);
      return tensor_list{packed.data().sum(), std::get<1>(gru->forward_with_packed_input(packed))};
    });
    for (int step = 0; step < 8; ++step) {
      const Tensor lengths = step % 2 == 0 ? torch::tensor(std::vector<int64_t>{3, 2, 1}) : torch::tensor(std::vector<int64_t>{2, 2, 2});
      run.see("y", f({run.random({3, 3, 4}), lengths}));
    }
  });
}

// The host has to read how large the result is, unless it is said.
TEST_P(Operators, RepeatedAsATensorSays) {
  for (const bool is_told : {false, true}) {
    expect_same([&](scenario& run) {
      subject f(run, {{"x", {3}}, {"times", {3}, at::kLong}}, [&](tensor_list& in) {
        return tensor_list{in[0].repeat_interleave(in[1], 0, is_told ? std::optional<int64_t>(6) : std::nullopt)};
      });
      for (int step = 0; step < 6; ++step) {
        run.see("y", f({run.random({3}), (at::arange(3, run.options(at::kLong)) + step) % 3 + 1}));
      }
      f.expect_replays(is_told ? 4 : 0);
    });
  }
}

TEST_P(Operators, IndexOutOfRange) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "an assertion on a GPU ends the process's use of it";
  }
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({10, 4}), count = at::zeros({}, run.options());
    subject f(run, {{"index", {5}, at::kLong}}, [&](tensor_list& in) {
      count.add_(1);
      const Tensor y = at::dropout(at::embedding(w, in[0]), 0.5, true);
      return tensor_list{y};
    });
    for (int step = 0; step < 9; ++step) {
      const Tensor index = at::randint(10, {5}, run.options(at::kLong));
      if (step == 1 || step == 5) {
        index[3] = 12;
      }
      run.see_error("call", [&] {
        const Tensor y = f({index})[0];
        run.see("y", y);
        y.sum().backward();
      });
      run.see_grad("w.grad", w);
      run.see("count", count);
    }
  });
}

TEST_P(Operators, ScalarTensorInHostMemoryThatChanges) {
  expect_same([](scenario& run) {
    const Tensor scale = at::full({}, 2.0, at::TensorOptions(at::kDouble));
    subject f(run, {{"x", {8}}}, [&](tensor_list& in) { return tensor_list{in[0] * scale}; });
    for (int step = 0; step < 6; ++step) {
      scale.add_(1);
      run.see("y", f({run.random({8})}));
    }
  });
}

TEST_P(Operators, HookThatIsRemoved) {
  expect_same([](scenario& run) {
    torch::nn::Linear linear(8, 8);
    linear->to(run.device());
    subject f(run, {{"x", {4, 8}}}, [&](tensor_list& in) { return tensor_list{linear(in[0])}; }, {}, linear.ptr().get());
    int hooks = 0;
    auto handle = linear->weight.register_hook([&](const Tensor& gradient) {
      ++hooks;
      return gradient * 2;
    });
    for (int step = 0; step < 8; ++step) {
      if (step == 5) {
        linear->weight.remove_hook(handle);
      }
      f({run.random({4, 8})})[0].sum().backward();
      run.see_grad("weight.grad", linear->weight);
      run.see("hooks", hooks);
    }
  });
}

TEST_P(Operators, BatchNormWithCumulativeAverage) {
  expect_same([](scenario& run) {
    torch::nn::BatchNorm1d norm(torch::nn::BatchNorm1dOptions(8).momentum(std::nullopt));
    norm->to(run.device());
    subject f(run, {{"x", {4, 8}}}, [&](tensor_list& in) { return tensor_list{norm(in[0])}; }, {}, norm.ptr().get());
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({4, 8})}));
      run.see("statistics", norm->buffers());
    }
  });
}

TEST_P(Operators, HistogramAndQuantile) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {100}}}, [](tensor_list& in) {
      return tensor_list{at::histc(in[0], 10), at::quantile(in[0], 0.3), std::get<0>(at::kthvalue(in[0], 7)), at::cov(in[0].view({4, 25})),
                         at::searchsorted(std::get<0>(in[0].sort()), in[0])};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({100})}));
    }
  });
}

TEST_P(Operators, LinearAlgebra) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {5, 5}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor spd = in[0].matmul(in[0].t()) + at::eye(5, in[0].options()) * 5;
      return tensor_list{std::get<0>(at::linalg_cholesky_ex(spd)), std::get<0>(at::linalg_inv_ex(spd)), at::linalg_matrix_norm(spd),
                         std::get<0>(at::linalg_qr(spd)), at::linalg_det(spd)};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({5, 5});
      const tensor_list y = f({x});
      run.see("y", y);
      (y[0].sum() + y[1].sum() + y[2] + y[3].sum() + y[4].log()).backward();
      run.see_grad("x.grad", x);
    }
  });
}

TEST_P(Operators, SpectralTransforms) {
  expect_same([](scenario& run) {
    const Tensor window = at::hann_window(16, run.options());
    subject f(run, {{"x", {2, 64}, at::kFloat, true}}, [&](tensor_list& in) {
      const Tensor spectrum = at::stft(in[0], 16, 8, 16, window, false, true, true);
      return tensor_list{spectrum.abs(), at::fft_irfft(at::fft_rfft(in[0]))};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({2, 64});
      const tensor_list y = f({x});
      run.see("y", y);
      (y[0].sum() + y[1].pow(2).sum()).backward();
      run.see_grad("x.grad", x);
    }
  });
}

TEST_P(Operators, ListsOfResultsFromOneOperator) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {6, 4}, at::kFloat, true}}, [](tensor_list& in) {
      tensor_list y = at::unbind(in[0] * 2);
      for (auto& part : at::split_with_sizes(in[0].exp(), {1, 2, 3})) {
        y.push_back(part);
      }
      const auto meshes = at::meshgrid({in[0].select(1, 0), in[0].select(1, 1)}, "ij");
      y.push_back(meshes[0] + meshes[1]);
      return y;
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({6, 4});
      const tensor_list y = f({x});
      run.see("y", y);
      Tensor loss = at::zeros({}, run.options());
      for (const auto& part : y) {
        loss = loss + part.pow(2).sum();
      }
      loss.backward();
      run.see_grad("x.grad", x);
    }
  });
}

TEST_P(Operators, OutVariantOfAnEmptyTensor) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) {
      Tensor out = at::empty({0}, in[0].options());
      at::add_out(out, in[0], in[0]);
      return tensor_list{out, out * 2};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({16, 8})}));
    }
  });
}

TEST_P(Operators, WeightNormalisation) {
  expect_same([](scenario& run) {
    const Tensor v = run.leaf({8, 8}), g = run.leaf({8, 1});
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) { return tensor_list{at::linear(in[0], at::_weight_norm(v, g, 0))}; });
    for (int step = 0; step < 7; ++step) {
      f({run.random({16, 8})})[0].pow(2).sum().backward();
      run.see_grad("v", v);
      run.see_grad("g", g);
    }
  });
}

TEST_P(Operators, SpectralNormalisationUpdatesItsVector) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8}), u = run.random({8});
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) {
      Tensor sigma;
      {
        const c10::AutoGradMode no_grad(false);
        const Tensor v = at::linalg_vector_norm(w.t().mv(u)) + w.t().mv(u);
        u.copy_(w.mv(v) / w.mv(v).norm());
      }
      sigma = u.clone().dot(w.mv(u.clone()));
      return tensor_list{in[0].matmul(w / sigma)};
    });
    for (int step = 0; step < 7; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
      run.see("u", u);
    }
  });
}

}  // namespace operators_test
