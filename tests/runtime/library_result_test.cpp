// SPDX-License-Identifier: Apache-2.0
//
// Operators of other libraries whose results depend on values in more than their numbers: in shape, count, dtype, memory, or as a number.
// On a GPU they wait for the device. A tape notices in a replay what differs from the capture, takes the replay back, and runs the
// original.
#include "support/calls.h"
#include "support/library.h"
#include "support/step.h"

#include <graphed/control_flow.h>
#include <graphed/error.h>
#include <graphed/host.h>

#include <ATen/ops/_pack_padded_sequence.h>
#include <ATen/ops/_pad_packed_sequence.h>
#include <torch/autograd.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace library_result_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(LibraryResult);

int64_t count(const Tensor& x) { return x.gt(0).sum().item<int64_t>(); }
bool are_many(const Tensor& x) { return count(x) > 4; }
std::string size(const Tensor& x) { return are_many(x) ? "large" : "small"; }
Tensor kept(const Tensor& x) { return x.masked_select(x.gt(0)); }
Tensor kept_of_room(const Tensor& x) {
  Tensor room = at::zeros_like(x);
  const Tensor found = kept(x);
  room.narrow(0, 0, found.numel()).copy_(found);
  return room.narrow(0, 0, found.numel());
}
void keep_in(const Tensor& x, const Tensor& out) {
  const Tensor found = kept(x);
  out.resize_(found.sizes());
  out.copy_(found);
}
std::vector<Tensor> parts(const Tensor& x) { return x.tensor_split(count(x)); }
std::vector<Tensor> multiples(const Tensor& x) {
  std::vector<Tensor> made;
  for (int64_t i = 0; i < count(x); ++i) {
    made.push_back(x * static_cast<double>(i));
  }
  return made;
}
Tensor cleaned(const Tensor& x) { return are_many(x) ? x.clamp_max(0.2) : x; }
Tensor widened(const Tensor& x) { return x.to(are_many(x) ? at::kDouble : at::kFloat, /*non_blocking=*/false, /*copy=*/true); }
Tensor laid(const Tensor& x) { return are_many(x) ? x.view({4, 2}).t().clone() : x.view({2, 4}).clone(); }
void clamp(const Tensor& x) {
  if (are_many(x)) {
    x.clamp_max_(0.2);
  }
}
std::optional<Tensor> large(const Tensor& x) { return are_many(x) ? std::optional(x * 2) : std::nullopt; }
std::tuple<Tensor, Tensor> both(const Tensor& x) {
  const Tensor made = x * 2;
  return {made, are_many(x) ? made : x + 1};
}
c10::Dict<std::string, Tensor> named(const Tensor& x) {
  c10::Dict<std::string, Tensor> made;
  made.insert("sum", x.sum());
  return made;
}

Tensor table;  // that the library keeps
Tensor looked_up(const Tensor& /*x*/) { return table; }

TORCH_LIBRARY(library_result_test, library) {
  library.def("count(Tensor x) -> int");
  library.def("are_many(Tensor x) -> bool");
  library.def("size(Tensor x) -> str");
  library.def("kept(Tensor x) -> Tensor");
  library.def("kept_of_room(Tensor x) -> Tensor");
  library.def("keep_in(Tensor x, Tensor(a!) out) -> ()");
  library.def("parts(Tensor x) -> Tensor[]");
  library.def("multiples(Tensor x) -> Tensor[]");
  library.def("cleaned(Tensor x) -> Tensor");
  library.def("widened(Tensor x) -> Tensor");
  library.def("laid(Tensor x) -> Tensor");
  library.def("clamp(Tensor x) -> ()");
  library.def("large(Tensor x) -> Tensor?");
  library.def("both(Tensor x) -> (Tensor, Tensor)");
  library.def("named(Tensor x) -> Dict(str, Tensor)");
  library.def("looked_up(Tensor x) -> Tensor");
  register_kernel(library, "count", count);
  register_kernel(library, "are_many", are_many);
  register_kernel(library, "size", size);
  register_kernel(library, "kept", kept);
  register_kernel(library, "kept_of_room", kept_of_room);
  register_kernel(library, "keep_in", keep_in);
  register_kernel(library, "parts", parts);
  register_kernel(library, "multiples", multiples);
  register_kernel(library, "cleaned", cleaned);
  register_kernel(library, "widened", widened);
  register_kernel(library, "laid", laid);
  register_kernel(library, "clamp", clamp);
  register_kernel(library, "large", large);
  register_kernel(library, "both", both);
  register_kernel(library, "named", named);
  register_kernel(library, "looked_up", looked_up);
}

template <class Result = Tensor>
Result apply(const char* op, const Tensor& x) {
  return call_library<Result(const Tensor&)>((std::string("library_result_test::") + op).c_str(), x);
}

const std::vector<argument> eight{{"x", {8}}};
// Two warm-ups, the capture and a replay, then what the capture does not serve, twice.
const std::vector<int64_t> in_turn{3, 3, 3, 3, 5, 5, 5, 3, 3, 3};

void expect_noticed(c10::Device device, const char* op, const test_callable::body& body) {
  SCOPED_TRACE(op);
  collected_warnings warnings;
  expect_same(device, [&](scenario& run) {
    subject f(run, eight, body);
    for (const int64_t positives : in_turn) {
      run.see("results", f({with_positives(run, positives)}));
    }
    if (run.device().is_cpu()) {
      f.expect_replays(6);
      f.expect_captures(3);
      f.expect_misses(Miss::CaptureFailed, 2);
    }
  });
  if (device.is_cpu()) {
    const std::size_t told =
        warnings.count({"test_callable", "a replay was taken back", std::string("library_result_test::") + op,
                        "the original function runs instead", link_to("explanation/no-gpu.md#operators-of-other-libraries")});
    EXPECT_TRUE(told == 1 || told == 2) << warnings.all();  // one for each change, where they differ in more than numbers
  }
}

TEST_P(LibraryResult, OfAnotherShape) {
  expect_noticed(device(), "kept", [](tensor_list& in) { return tensor_list{apply("kept", in[0])}; });
  expect_noticed(device(), "kept", [](tensor_list& in) { return tensor_list{apply("kept", in[0]).sum() * in[0]}; });
  expect_noticed(device(), "kept_of_room", [](tensor_list& in) { return tensor_list{apply("kept_of_room", in[0] * 2) + 1}; });
  expect_noticed(device(), "laid", [](tensor_list& in) { return tensor_list{apply("laid", in[0]).contiguous().view({8})}; });
}

TEST_P(LibraryResult, OfAnotherDtypeOrInOtherMemory) {
  expect_noticed(device(), "widened", [](tensor_list& in) { return tensor_list{apply("widened", in[0]) * 2}; });
  expect_noticed(device(), "cleaned", [](tensor_list& in) {
    const Tensor y = in[0].sin(), z = apply("cleaned", y);
    z.mul_(2);
    return tensor_list{y, z};
  });
  expect_noticed(device(), "both", [](tensor_list& in) {
    const auto [one, other] = apply<std::tuple<Tensor, Tensor>>("both", in[0]);
    one.mul_(2);
    return tensor_list{other * 1};
  });
}

TEST_P(LibraryResult, OfAnotherCount) {
  const auto sum_of = [](const char* op, const Tensor& x) {
    Tensor sum = at::zeros_like(x);
    for (const Tensor& each : apply<std::vector<Tensor>>(op, x)) {
      sum = sum + each.sum();
    }
    return sum;
  };
  expect_noticed(device(), "multiples", [&](tensor_list& in) { return tensor_list{sum_of("multiples", in[0])}; });
  expect_noticed(device(), "parts", [&](tensor_list& in) { return tensor_list{sum_of("parts", in[0])}; });
  expect_noticed(device(), "large", [](tensor_list& in) {
    const auto found = apply<std::optional<Tensor>>("large", in[0]);
    return tensor_list{found ? *found : in[0].sin()};
  });
}

TEST_P(LibraryResult, ThatAreNumbers) {
  expect_noticed(device(), "count",
                 [](tensor_list& in) { return tensor_list{in[0] * static_cast<double>(apply<int64_t>("count", in[0]))}; });
  expect_noticed(device(), "are_many",
                 [](tensor_list& in) { return tensor_list{apply<bool>("are_many", in[0]) ? in[0].sin() : in[0].cos()}; });
  expect_noticed(device(), "size",
                 [](tensor_list& in) { return tensor_list{apply<std::string>("size", in[0]) == "large" ? in[0].sin() : in[0].cos()}; });
}

TEST_P(LibraryResult, IntoAnArgumentThatItResizes) {
  expect_noticed(device(), "keep_in", [](tensor_list& in) {
    const Tensor out = at::empty({0}, in[0].options());
    call_library<void(const Tensor&, const Tensor&)>("library_result_test::keep_in", in[0], out);
    return tensor_list{out * 2};
  });
}

// A write to the callable's argument, which the schema does not say and the capture has not shown.
TEST_P(LibraryResult, IntoAnArgumentInSomeCallsOnly) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "nothing shows it on a GPU";
  }
  expect_same([](scenario& run) {
    subject f(run, eight, [](tensor_list& in) {
      call_library<void(const Tensor&)>("library_result_test::clamp", in[0]);
      return tensor_list{in[0] + 1};
    });
    for (const int64_t positives : {3, 3, 3, 3, 5, 3, 3, 3}) {
      const Tensor x = with_positives(run, positives);
      run.see("result", f({x}));
      run.see("x", x);
    }
    f.expect_replays(5);
    f.expect_misses(Miss::CaptureFailed, 1);
  });
  EXPECT_EQ(warnings_.count({"a replay was taken back", "library_result_test::clamp", "writes its argument 'x'"}), 1U) << warnings_.all();
}

TEST_P(LibraryResult, InABodyOfABranch) {
  expect_noticed(device(), "cleaned", [](tensor_list& in) {
    const Tensor y = in[0] * 2;
    return tensor_list{if_else(y.sum() > -100, [&] { return apply("cleaned", y) * 2; }, [&] { return y * 3; })};
  });
}

TEST_P(LibraryResult, InABodyOfALoop) {
  expect_noticed(device(), "cleaned", [](tensor_list& in) {
    const auto next = [](const Tensor& now) { return apply("cleaned", now) * 0.5; };
    return tensor_list{while_loop([](const Tensor& now) { return now.abs().sum() > 0.5; }, next, in[0], 20)};
  });
}

// The second iteration does otherwise than the first, already in the capture.
TEST_P(LibraryResult, InEachIterationOfALoop) {
  expect_same([](scenario& run) {
    const Tensor turns = at::zeros({}, run.options());
    subject f(run, eight, [&](tensor_list& in) {
      const auto next = [&](const Tensor& now) {
        turns.add_(1);
        return apply("cleaned", now) * -0.5;
      };
      return tensor_list{while_loop([](const Tensor& now) { return now.abs().sum() > 0.5; }, next, in[0], 20)};
    });
    for (const int64_t positives : in_turn) {
      run.see("results", f({with_positives(run, positives)}));
      run.see("turns", turns);
    }
    f.expect_replays(0);
  });
}

TEST_P(LibraryResult, TakesBackWhatTheReplayHasWrittenAndDrawn) {
  expect_same([](scenario& run) {
    const Tensor total = at::zeros({8}, run.options());
    torch::nn::BatchNorm1d norm(8);
    norm->to(run.device());
    subject f(
        run, {{"x", {8}}, {"y", {8}, at::kFloat, /*grad=*/false, /*inplace=*/true}, {"batch", {4, 8}}},
        [&](tensor_list& in) {
          total.add_(in[0]);
          in[1].add_(1);
          const Tensor noise = at::rand_like(total) + norm->forward(in[2]).sum(0);
          if_else(in[0].sum() > 0, [&] { total.mul_(2); }, [&] { total.sub_(1); });
          const Tensor rows = apply("kept", in[0]);
          total.add_(1);
          return tensor_list{rows * 2, noise + total, at::rand_like(noise)};
        },
        {}, norm.ptr().get());
    for (const int64_t positives : in_turn) {
      const Tensor y = run.random({8});
      run.see("results", f({with_positives(run, positives), y, run.random({4, 8})}));
      run.see("y", y);
      run.see("total", total);
      run.see("random", run.random({2}));
      for (const auto& buffer : norm->named_buffers()) {
        run.see(buffer.key(), buffer.value());
      }
    }
    if (run.device().is_cpu()) {
      f.expect_misses(Miss::CaptureFailed, 2);
    }
  });
}

TEST_P(LibraryResult, TakesBackAStep) {
  expect_same([](scenario& run) {
    trainer model(run, zeroing::to_none, /*momentum=*/0.9);
    const auto train = [&](tensor_list& in) {
      model.optimizer->zero_grad();
      const Tensor out = model.net->forward(in[0]);
      const Tensor loss = (out - in[1]).square().mean() + apply("kept", in[2]).mean();
      loss.backward();
      model.optimizer->step();
      return tensor_list{loss.detach()};
    };
    subject step(run, {{"x", {8, 4}}, {"y", {8, 2}}, {"z", {8}}}, train, of_a_step(), model.net.get());
    for (const int64_t positives : {3, 3, 3, 3, 3, 3, 5, 5, 5, 3, 3}) {
      run.see("loss", step({run.random({8, 4}), run.random({8, 2}), with_positives(run, positives)}));
      model.see(run);
    }
    if (run.device().is_cpu()) {
      EXPECT_TRUE(!run.graphed() || step.stats().misses[static_cast<std::size_t>(Miss::CaptureFailed)] == 2) << step.explain();
    }
  });
}

// A state that goes round is in the memory of the capture that is dropped.
TEST_P(LibraryResult, KeepsAStateThatGoesRound) {
  expect_same([](scenario& run) {
    const c10::AutoGradMode no_grad(false);
    subject f(run, {{"h", {8}}, {"x", {8}}}, [](tensor_list& in) { return tensor_list{(in[0] * 0.5 + apply("kept", in[1]).sum()).cos()}; });
    Tensor h = run.random({8});
    for (const int64_t positives : in_turn) {
      const Tensor before = h;
      h = f({h, with_positives(run, positives)})[0];
      run.see("h", h);
      run.see("before", before);
    }
  });
}

// Eager autograd computes these gradients, and the forward stays a graph.
TEST_P(LibraryResult, InABackward) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8});
    subject f(run, eight, [&](tensor_list& in) {
      const Tensor y = in[0] * w;
      y.register_hook([](const Tensor& gradient) { return apply("cleaned", gradient) * 2; });
      return tensor_list{y * 1};
    });
    for (const int64_t positives : in_turn) {
      const Tensor y = f({run.random({8})})[0];
      run.see("y", y);
      y.backward(with_positives(run, positives));
      run.see_grad("w", w);
    }
    if (run.device().is_cpu()) {
      f.expect_replays(8, 2);
    }
  });
  if (device().is_cpu()) {
    EXPECT_EQ(warnings_.count({"a replay of the backward was taken back", "library_result_test::cleaned", "eager autograd"}), 1U)
        << warnings_.all();
  }
}

struct scaled : torch::autograd::Function<scaled> {
  static Tensor forward(torch::autograd::AutogradContext* /*context*/, const Tensor& x) {
    return library_result_test::apply("cleaned", x) * 3;
  }
  static tensor_list backward(torch::autograd::AutogradContext* /*context*/, const tensor_list& gradients) {
    return {library_result_test::apply("cleaned", gradients[0]) * 3};
  }
};

TEST_P(LibraryResult, WithinAnAutogradFunction) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8});
    subject f(run, eight, [&](tensor_list& in) { return tensor_list{scaled::apply(in[0] * w.abs()) + 1}; });
    for (const int64_t positives : in_turn) {
      const Tensor y = f({with_positives(run, positives)})[0];
      run.see("y", y);
      y.backward(with_positives(run, 8 - positives));
      run.see_grad("w", w);
    }
    if (run.device().is_cpu()) {
      f.expect_misses(Miss::CaptureFailed, 2);
    }
  });
}

TEST_P(LibraryResult, ThatTheLibraryKeeps) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "nothing shows it on a GPU";
  }
  expect_same([](scenario& run) {
    table = run.random({8});
    subject f(run, eight, [](tensor_list& in) { return tensor_list{in[0] + apply("looked_up", in[0])}; });
    for (int call = 0; call < 10; ++call) {
      if (call == 4 || call == 7) {
        table = run.random({8});
      }
      table.add_(1);
      run.see("result", f({run.random({8})}));
    }
    f.expect_misses(Miss::CaptureFailed, 2);
    table = Tensor();
  });
}

TEST_P(LibraryResult, RestAfterThreeThatDiffer) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "no such capture is made on a GPU";
  }
  expect_same([](scenario& run) {
    subject f(run, eight, [](tensor_list& in) { return tensor_list{apply("kept", in[0]).sum()}; });
    for (int call = 0; call < 40; ++call) {
      run.see("result", f({with_positives(run, call < 3 || call % 2 == 0 ? 3 : 5)}));
    }
    f.expect_captures(3);
    f.expect_replays(3);
    EXPECT_TRUE(!run.graphed() || f.explain().find("library_result_test::kept") != std::string::npos) << f.explain();
  });
  EXPECT_EQ(warnings_.count({"captures failed 3 times"}), 1U) << warnings_.all();
}

TEST_P(LibraryResult, StrictThrowsAndLeavesNothing) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "no such capture is made on a GPU";
  }
  const scenario run(device(), true);
  const Tensor total = at::zeros({});
  settings strict;
  strict.strict = true;
  test_callable f(
      eight,
      [&](tensor_list& in) {
        total.add_(1);
        return tensor_list{apply("kept", in[0])};
      },
      strict);
  for (int call = 0; call < 4; ++call) {
    f({with_positives(run, 3)});
  }
  EXPECT_THROW(f({with_positives(run, 5)}), CaptureError);
  EXPECT_EQ(total.item<float>(), 4);
  f({with_positives(run, 5)});
  EXPECT_EQ(total.item<float>(), 5);
}

TEST_P(LibraryResult, OfAStandAloneGraph) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "no such capture is made on a GPU";
  }
  const scenario run(device(), true);
  const Tensor x = with_positives(run, 3), total = at::zeros({}), sum = at::zeros({});
  ExecutableGraph graph = make_graph(device(), [&] {
    total.add_(1);
    sum.copy_(apply("kept", x).sum());
  });
  graph.replay();
  const Tensor before = sum.clone();
  x.copy_(with_positives(run, 5));
  const std::string text = text_of<Error>([&] { graph.replay(); });
  EXPECT_TRUE(contains(text, "ExecutableGraph::replay"));
  EXPECT_TRUE(contains(text, "library_result_test::kept"));
  EXPECT_EQ(total.item<float>(), 1);
  EXPECT_TRUE(same_bits(sum, before));
  x.copy_(with_positives(run, 3));
  graph.replay();
  EXPECT_EQ(total.item<float>(), 2);
  EXPECT_TRUE(same_bits(sum, kept(x).sum()));
}

// What the host part has done could not be taken back.
TEST_P(LibraryResult, AfterAHostPartIsRefused) {
  expect_same([](scenario& run) {
    subject f(run, eight, [](tensor_list& in) {
      const Tensor y = in[0] * 2;
      host([y] { static_cast<void>(y.sum().item<float>()); });
      return tensor_list{apply("kept", y)};
    });
    for (const int64_t positives : in_turn) {
      run.see("result", f({with_positives(run, positives)}));
    }
    f.expect_replays(0);
  });
  if (device().is_cpu()) {
    EXPECT_EQ(warnings_.count({"library_result_test::kept", "comes after a host part"}), 1U) << warnings_.all();
  }
}

TEST_P(LibraryResult, BeforeAHostPart) {
  expect_noticed(device(), "kept", [](tensor_list& in) {
    const Tensor y = apply("kept", in[0]) * 2;
    host([y] { static_cast<void>(y.sum().item<float>()); });
    return tensor_list{y + 1};
  });
}

TEST_P(LibraryResult, InADictionaryIsRefused) {
  expect_same([](scenario& run) {
    subject f(run, eight,
              [](tensor_list& in) { return tensor_list{in[0] + apply<c10::Dict<std::string, Tensor>>("named", in[0]).at("sum")}; });
    const Tensor x = with_positives(run, 3);  // the same one: warm-ups are steady
    for (int call = 0; call < 6; ++call) {
      run.see("result", f({x}));
    }
    if (run.device().is_cpu()) {
      f.expect_replays(0);
    }
  });
  if (device().is_cpu()) {
    EXPECT_EQ(warnings_.count({"library_result_test::named", "Dict[str, Tensor]"}), 1U) << warnings_.all();
  }
}

// LibTorch's own, whose result has as many rows as the lengths add up to.
TEST_P(LibraryResult, OfAPackedSequenceIsRefused) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "lengths are in the memory of the host";
  }
  expect_same([](scenario& run) {
    subject f(run, {{"x", {5, 3, 2}}, {"lengths", {3}, at::kLong}},
              [](tensor_list& in) { return tensor_list{std::get<0>(at::_pack_padded_sequence(in[0], in[1], /*batch_first=*/false)) * 2}; });
    for (int call = 0; call < 6; ++call) {
      run.see("rows", f({run.random({5, 3, 2}), at::tensor({int64_t{5}, int64_t{call % 3 + 1}, int64_t{1}})}));
    }
    f.expect_replays(0);
  });
  EXPECT_EQ(warnings_.count({"aten::_pack_padded_sequence", "shape depends on values"}), 1U) << warnings_.all();
}

// LibTorch takes them apart, and what it reads in between decides on the parts.
TEST_P(LibraryResult, OfOperatorsThatReadByPointersIsRefused) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "what they read is in the memory of the host";
  }
  const auto refused = [&](const char* op, const test_callable::body& body) {
    SCOPED_TRACE(op);
    expect_same([&](scenario& run) {
      subject f(run, {{"x", {6, 2}}, {"at", {3}, at::kLong}}, body);
      for (int call = 0; call < 6; ++call) {
        const auto rows = call < 4 ? std::vector<int64_t>{3, 2, 1} : std::vector<int64_t>{2, 2, 2};
        run.see("result", f({run.random({6, 2}), at::tensor(rows)}));
      }
      f.expect_replays(0);
    });
    EXPECT_EQ(warnings_.count({op, "reads a tensor's values on the host"}), 1U) << warnings_.all();
  };
  refused("aten::_pad_packed_sequence", [](tensor_list& in) {
    return tensor_list{std::get<0>(at::_pad_packed_sequence(in[0], in[1], /*batch_first=*/false, 0, /*total_length=*/0)) * 2};
  });
  refused("aten::tensor_split", [](tensor_list& in) {
    const auto all = in[0].tensor_split(in[1].cumsum(0));
    return tensor_list{all[0].sum() - all[1].sum()};
  });
}

}  // namespace library_result_test
