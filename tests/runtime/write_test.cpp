// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the tensors that a callable assigns, or makes other tensors of. The checks graphed-rebound, graphed-metadata and
// graphed-backward say so before anything runs; arguments and buffers that are written in place are in in_place_test.cpp.
#include "support/device_test.h"

namespace write_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Write);

const std::vector<argument> read{{"x", {16, 8}}}, written{{"x", {16, 8}, at::kFloat, false, true}};

/// Seven calls, none of which is captured.
void expect_refused(c10::Device device, const std::vector<argument>& arguments, const test_callable::body& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, arguments, body);
    for (int step = 0; step < 7; ++step) {
      const Tensor x = arguments[0].grad ? run.leaf({16, 8}) : run.random({16, 8});
      run.see("y", f({x}));
      run.see("x", x);
    }
    f.expect_captures(0);
  });
}

TEST_P(Write, MemberThatIsReboundShowsTheLastReplay) {
  const scenario run(device(), true);
  Tensor member;
  subject f(run, read, [&](tensor_list& in) {
    member = in[0] * 2;
    return tensor_list{in[0] + 1};
  });
  Tensor earlier, x;
  for (int step = 0; step < 6; ++step) {
    if (step == 5) {
      earlier = member;
    }
    x = run.random({16, 8});
    f({x});
  }
  f.expect_replays(4);
  EXPECT_TRUE(same_bits(member, x * 2));
  EXPECT_TRUE(same_bits(earlier, x * 2)) << "eager leaves what was copied out of the member alone";
}

TEST_P(Write, MemberThatIsReboundByAnotherSlotIsStale) {
  const scenario run(device(), true);
  const Tensor w = run.leaf({8});
  Tensor member;
  subject f(run, read, [&](tensor_list& in) {
    const Tensor y = in[0] * w;
    member = y.detach() * 2;
    return tensor_list{y};
  });
  for (int step = 0; step < 4; ++step) {
    f({run.random({16, 8})});
  }
  const Tensor held = f({run.random({16, 8})})[0], second = f({run.random({16, 8})})[0];  // the second is captured in a slot of its own
  held.sum().backward();
  const Tensor x = run.random({16, 8});
  f({x});
  EXPECT_FALSE(same_bits(member, (x * w).detach() * 2)) << "the first slot's replay has bound nothing";
}

TEST_P(Write, MemberGivenOtherMemoryShowsTheLastReplay) {
  const scenario run(device(), true);
  const Tensor member = run.random({16, 8});
  subject f(run, read, [&](tensor_list& in) {
    member.set_data(in[0] * 2);
    return tensor_list{in[0] + 1};
  });
  Tensor earlier, x;
  for (int step = 0; step < 6; ++step) {
    if (step == 5) {
      earlier = member.detach();
    }
    x = run.random({16, 8});
    f({x});
  }
  f.expect_replays(4);
  EXPECT_TRUE(same_bits(earlier, x * 2)) << "eager leaves what shows the memory before alone";
}

TEST_P(Write, PartOfAMemberIsKeptInPlace) {
  expect_same([](scenario& run) {
    const Tensor member = run.random({16, 8});
    subject f(run, read, [&](tensor_list& in) {
      member[0] = in[0][1];
      member.select(0, 1) += 1;
      return tensor_list{member + 1};
    });
    for (int step = 0; step < 7; ++step) {
      run.see("y", f({run.random({16, 8})}));
      run.see("member", member);
    }
    f.expect_replays(5);
  });
}

TEST_P(Write, MarkedArgumentThatIsAssignedRunsPlainly) {
  expect_refused(device(), written, [](tensor_list& in) {
    in[0] = in[0] * 2;
    return tensor_list{in[0] + 1};
  });
  EXPECT_EQ(warnings_.count({"assigns another tensor to its argument 'x'"}), 1U) << warnings_.all();
}

TEST_P(Write, ArgumentGivenOtherMemoryRunsPlainly) {
  expect_refused(device(), written, [](tensor_list& in) {
    in[0].set_data(in[0] * 2);
    return tensor_list{in[0] + 1};
  });
  EXPECT_EQ(warnings_.count({"gives its argument 'x' other memory"}), 1U) << warnings_.all();
}

TEST_P(Write, ArgumentGivenAnotherShapeRunsPlainly) {
  expect_refused(device(), written, [](tensor_list& in) {
    in[0].set_data(in[0].flatten());
    return tensor_list{in[0] + 1};
  });
  EXPECT_EQ(warnings_.count({"gives its argument 'x' other memory, or another shape"}), 1U) << warnings_.all();
}

TEST_P(Write, ArgumentThatIsTransposedInPlaceRunsPlainly) {
  expect_refused(device(), written, [](tensor_list& in) { return tensor_list{in[0].t_() + 1}; });
  EXPECT_EQ(warnings_.count({"aten::t_", "changes the shape"}), 1U) << warnings_.all();
}

TEST_P(Write, BufferThatIsTransposedInPlaceRunsPlainly) {
  expect_same([](scenario& run) {
    const Tensor buffer = run.random({8, 8});
    subject f(run, read, [&](tensor_list& in) { return tensor_list{in[0].matmul(buffer.t_())}; });
    for (int step = 0; step < 7; ++step) {
      run.see("y", f({run.random({16, 8})}));
    }
    f.expect_captures(0);
  });
}

TEST_P(Write, ArgumentThatIsMadeToRequireGradRunsPlainly) {
  expect_refused(device(), read, [](tensor_list& in) {
    in[0].requires_grad_();
    return torch::autograd::grad({in[0].pow(2).sum()}, {in[0]});
  });
  EXPECT_EQ(warnings_.count({"changes whether its argument 'x' requires grad"}), 1U) << warnings_.all();
}

TEST_P(Write, ArgumentThatIsMadeToRequireNoGradRunsPlainly) {
  expect_refused(device(), {{"x", {16, 8}, at::kFloat, true}}, [](tensor_list& in) {
    in[0].requires_grad_(false);
    return tensor_list{in[0] * 2};
  });
}

TEST_P(Write, BackwardIntoANewGradientRunsPlainly) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8});
    subject f(run, read, [&](tensor_list& in) {
      w.mutable_grad() = Tensor();
      (in[0] * w).pow(2).sum().backward();
      return tensor_list{};
    });
    for (int step = 0; step < 7; ++step) {
      f({run.random({16, 8})});
      run.see("w.grad", w.grad());
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"another .grad", "`step`"}), 1U) << warnings_.all();
}

}  // namespace write_test
