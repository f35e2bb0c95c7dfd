// SPDX-License-Identifier: Apache-2.0
//
// Arguments that are in memory otherwise than annotated: each layout has a capture whose static input has the same layout, so that bits are
// eager's.
#include "support/device_test.h"

namespace input_layout_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;
using at::indexing::Slice;

GRAPHED_DEVICE_TEST_SUITE(InputLayout);

tensor_list product(tensor_list& in) { return {in[0].mm(in[1]).relu(), in[0].sum(0), at::softmax(in[0], 1)}; }

TEST_P(InputLayout, Transposed) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {48, 33}}, {"w", {33, 17}}}, product);
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({33, 48}).t(), run.random({17, 33}).t()}));
    }
    f.expect_replays(4);
    f.expect_captures(1);
  });
}

// The batches of a language model: columns of a longer text.
TEST_P(InputLayout, ColumnsOfALongerText) {
  expect_same([](scenario& run) {
    const Tensor words = run.leaf({50, 16});
    subject f(run, {{"ids", {64, 30}, at::kLong}}, [&](tensor_list& in) { return tensor_list{words.index_select(0, in[0].flatten())}; });
    const Tensor text = at::randint(50, {64, 241}, run.options(at::kLong));
    for (int64_t at = 0; at + 30 <= 241; at += 30) {
      run.see("y", f({text.index({Slice(), Slice(at, at + 30)})}));
    }
    f.expect_replays(6);
    f.expect_captures(1);
  });
}

// On the tape and on CUDA: the kernels that eager mode chooses for each of these.
TEST_P(InputLayout, EachWidthOfARowHasTheBitsOfEager) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {96, 64}}, {"w", {64, 40}}}, product, {/*warmup=*/1});
    for (const int64_t width : {64, 65, 66, 67, 68, 71, 96, 127, 128, 250, 1000, 4096}) {
      const Tensor x = run.random({96, width}), w = run.random({64, width}).slice(1, 0, 40);
      for (int step = 0; step < 3; ++step) {
        run.see("y " + std::to_string(width), f({x.slice(1, 0, 64), w}));
        run.see("a later column " + std::to_string(width), f({x.slice(1, width - 64), w}));
      }
    }
  });
}

TEST_P(InputLayout, SlicesOfTwoWidthsShareACapture) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8, 32}}}, [](tensor_list& in) { return tensor_list{in[0] * 2, in[0].sum(0)}; });
    for (int64_t step = 0; step < 6; ++step) {
      run.see("y", f({run.random({8, 100 + 4 * step}).slice(1, 0, 32)}));
    }
    f.expect_replays(4);
    f.expect_captures(1);
  });
}

TEST_P(InputLayout, OneElementOfEachRow) {
  expect_same([](scenario& run) {
    const Tensor rollout = run.random({128, 7, 5});
    subject f(run, {{"mask", {128, 5}}}, [](tensor_list& in) { return tensor_list{in[0].cumsum(0), in[0].mean(1)}; });
    for (int64_t step = 0; step < 7; ++step) {
      run.see("y", f({rollout.select(1, step)}));
    }
    f.expect_replays(5);
  });
}

TEST_P(InputLayout, Expanded) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0] * 2, in[0].sum(0)}; });
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({run.random({1, 8}).expand({16, 8})}));
    }
    f.expect_replays(3);
  });
}

TEST_P(InputLayout, GradientsOfSlices) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, true}, {"w", {8, 4}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].mm(in[1]).tanh()}; });
    const Tensor all = run.leaf({16, 3 * 8}), w = run.leaf({4, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({all.slice(1, 8, 16), w.t()})[0];
      run.see("y", y);
      (y * run.random({16, 4})).sum().backward();
      run.see_grad("all.grad", all);
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(InputLayout, WhatLiesBetweenWrittenRowsStays) {
  expect_same([](scenario& run) {
    const c10::AutoGradMode no_grad(false);
    subject f(run, {{"x", {8, 4}, at::kFloat, false, /*inplace=*/true}}, [](tensor_list& in) {
      in[0].mul_(2).add_(1);
      return tensor_list{in[0].sum()};
    });
    const Tensor all = run.random({8, 50});
    for (int step = 0; step < 5; ++step) {
      run.see("sum", f({all.slice(1, 3, 7)}));
      run.see("all", all);
    }
    f.expect_replays(3);
  });
}

TEST_P(InputLayout, EachHasACaptureOfItsOwn) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
    for (int step = 0; step < 4; ++step) {
      run.see("contiguous", f({run.random({16, 8})}));
      run.see("transposed", f({run.random({8, 16}).t()}));
      run.see("sliced", f({run.random({16, 20}).slice(1, 0, 8)}));
    }
    f.expect_replays(6);
    f.expect_captures(3);
    if (run.graphed()) {
      EXPECT_NE(f.explain().find("x: f32[16, 8] with strides [1, 16];"), std::string::npos) << f.explain();
      EXPECT_NE(f.explain().find("x: f32[16, 8] with strides [12, 1];"), std::string::npos) << f.explain();
    }
  });
}

TEST_P(InputLayout, ContiguousOrChannelsLast) {
  expect_same([](scenario& run) {
    const Tensor w = run.random({4, 3, 3, 3});
    subject f(run, {{"image", {2, 3, 8, 8}, at::kFloat, false, false, flags::channels_last}},
              [&](tensor_list& in) { return tensor_list{at::conv2d(in[0], w)}; });
    for (int step = 0; step < 4; ++step) {
      run.see("contiguous", f({run.random({2, 3, 8, 8})}));
      run.see("channels last", f({run.random({2, 3, 8, 8}).contiguous(at::MemoryFormat::ChannelsLast)}));
    }
    f.expect_replays(4);
  });
}

TEST_P(InputLayout, ARowThatIsPaddedMayLieAnywhere) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; },
              {2, OutputPolicy::Keep, false, 2, {16}, PadFill::Zero});
    for (int64_t step = 0; step < 8; ++step) {
      run.see("y", f({run.random({8, 13}).t()}));
      run.see("y", f({run.random({16, 11}).slice(1, 0, 8)}));
    }
    f.expect_replays(12);
  });
}

void expect_refused(c10::Device device, const test_callable::body& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", {8, 4}}}, body);
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({8, 50}).slice(1, 0, 4)}));
    }
    f.expect_replays(0);
  });
}

TEST_P(InputLayout, AViewOfASliceIsNoResult) {
  expect_refused(device(), [](tensor_list& in) { return tensor_list{in[0].t()}; });
  EXPECT_EQ(warnings_.count({"result 0 is a view of 'x', which has other strides in a graph: pass its contiguous(), or return a clone()"}),
            1U)
      << warnings_.all();
}

TEST_P(InputLayout, StridesThatTheCallableGivesAreNotThoseOfAGraph) {
  expect_refused(device(), [](tensor_list& in) { return tensor_list{in[0].as_strided({8}, {50}) * 2}; });
  EXPECT_EQ(warnings_.count({"operator aten::as_strided gets strides for the memory of 'x'"}), 1U) << warnings_.all();
}

TEST_P(InputLayout, AViewOfADenseArgumentIsAResult) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8, 4}}}, [](tensor_list& in) { return tensor_list{in[0].t(), in[0]}; });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({4, 8}).t()}));
    }
    f.expect_replays(4);
  });
}

// Windows over a series.
TEST_P(InputLayout, OverlappingRowsRunPlainly) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {5, 4}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
    for (int step = 0; step < 4; ++step) {
      run.see("y", f({run.random({8}).unfold(0, 4, 1)}));
    }
    f.expect_misses(Miss::Strides, 4);
  });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected elements that do not overlap, got strides [1, 1]"}), 1U) << warnings_.all();
}

TEST_P(InputLayout, WritingAnExpandedArgumentIsEagersError) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 8}, at::kFloat, false, /*inplace=*/true}}, [](tensor_list& in) {
      in[0].mul_(2);
      return tensor_list{};
    });
    for (int step = 0; step < 4; ++step) {
      run.see_error("error", [&] { f({run.random({1, 8}).expand({4, 8})}); });
    }
    f.expect_misses(Miss::Strides, 4);
  });
}

TEST_P(InputLayout, AStaticArgumentLiesAsAnnotated) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8, 4}, at::kFloat, false, false, flags::static_address}},
              [](tensor_list& in) { return tensor_list{in[0] * 2}; });
    const Tensor x = run.random({4, 8});
    for (int step = 0; step < 4; ++step) {
      run.see("y", f({x.t()}));
    }
    f.expect_misses(Miss::Strides, 4);
  });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected contiguous, got strides [1, 8]"}), 1U) << warnings_.all();
}

}  // namespace input_layout_test
