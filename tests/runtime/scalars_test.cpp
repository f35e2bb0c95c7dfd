// SPDX-License-Identifier: Apache-2.0
//
// Non-tensor arguments: `key` selects a capture, `const` must not change; and how their values are distinguished.
#include "support/device_test.h"

#include <graphed/error.h>

#include <ATen/core/List.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace scalars_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;
using namespace std::string_literals;

GRAPHED_DEVICE_TEST_SUITE(Scalar);

const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}};

TEST_P(Scalar, KeySelectsACapture) {
  expect_same([](scenario& run) {
    double factor = 0;
    subject f(run, arguments, [&](tensor_list& in) { return tensor_list{(in[0].matmul(in[1]) * factor).tanh()}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 12; ++step) {
      factor = step % 2 == 0 ? 0.5 : -3;
      const Tensor y = f({run.random({16, 8}), w}, Scalars().key("factor", factor))[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(8, 8);
    f.expect_captures(2);
  });
}

// What such calls have used from outside is let go of.
TEST_P(Scalar, KeysThatAreNewOnEachCallAreForgotten) {
  const scenario run(device(), true);
  Tensor outside;
  test_callable f({{"x", {2}}}, [&](tensor_list& in) { return tensor_list{in[0] + outside}; });
  const Tensor x = run.random({2});
  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> used;
  for (int call = 0; call < 200; ++call) {
    outside = run.random({2});
    used.emplace_back(outside.getIntrusivePtr());
    EXPECT_TRUE(same_bits(f({x}, Scalars().key("call", call))[0], x + outside));
  }
  EXPECT_LE(std::count_if(used.begin(), used.end(), [](const auto& each) { return !each.expired(); }), 65);
  EXPECT_EQ(warnings_.count(
                {"64 different keys were each used too rarely to be captured", "for example 'call = 63', then 'call = 64'", "`live`"}),
            1U)
      << warnings_.all();
  EXPECT_EQ(f.misses(Miss::NewKey), 136U) << f.stats();
}

TEST_P(Scalar, SeveralKeys) {
  expect_same([](scenario& run) {
    bool causal = false;
    std::string activation;
    subject f(run, arguments, [&](tensor_list& in) {
      Tensor y = in[0].matmul(in[1]);
      if (causal) {
        y = y.tril();
      }
      return tensor_list{activation == "tanh" ? y.tanh() : y.relu()};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 16; ++step) {
      causal = step % 2 == 0;
      activation = step % 4 < 2 ? "tanh" : "relu";
      run.see("y", f({run.random({16, 8}), w}, Scalars().key("causal", causal).key("activation", activation)));
    }
    f.expect_captures(4);
    f.expect_replays(8);
  });
}

TEST_P(Scalar, ConstantThatChangesIsAnError) {
  scenario run(device(), true);
  subject f(run, arguments, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]) * 0.5}; });
  const Tensor w = run.leaf({8, 8});
  const auto call = [&](double eps, int64_t groups, const std::string& name) {
    return f({run.random({16, 8}), w}, Scalars().constant("eps", eps).constant("groups", groups).constant("name", name));
  };
  const auto expect_error = [&](const std::string& text, double eps, int64_t groups, const std::string& name) {
    try {
      call(eps, groups, name);
      ADD_FAILURE() << "no error: " << text;
    } catch (const GuardError& error) {
      EXPECT_EQ(std::string(error.what()),
                "graphed: test_callable (test.cpp:1): parameter " + text + link_to("explanation/guards.md#what-to-do"));
    }
  };
  for (int step = 0; step < 4; ++step) {
    call(0.5, 4, "relu");
  }
  f.expect_replays(2);
  expect_error("'eps' is declared 'const': expected 0.5, got 0.25", 0.25, 4, "relu");
  expect_error("'groups' is declared 'const': expected 4, got -1", 0.5, -1, "relu");
  expect_error("'name' is declared 'const': expected \"relu\", got \"tanh\"", 0.5, 4, "tanh");
  EXPECT_NO_THROW(call(0.5, 4, "relu"));
  f.reset();
  EXPECT_NO_THROW(call(0.25, 4, "relu"));
}

enum class mode : uint8_t { fast = 3, exact = 7 };

template <class T>
std::string key_of(const T& value) {
  return Scalars().key("name", value).key_bytes();
}

TEST(Scalars, EqualValuesHaveEqualKeys) {
  EXPECT_EQ(key_of(1.5), key_of(1.5));
  EXPECT_EQ(key_of("text"s), key_of("text"s));
  EXPECT_EQ(key_of(mode::fast), key_of(mode::fast));
  EXPECT_EQ(key_of(std::numeric_limits<double>::quiet_NaN()), key_of(std::numeric_limits<double>::quiet_NaN()));
}

TEST(Scalars, OtherValuesHaveOtherKeys) {
  EXPECT_NE(key_of(0.0), key_of(-0.0));
  EXPECT_NE(key_of(1.0), key_of(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_NE(key_of(1.0F), key_of(std::nextafter(1.0F, 2.0F)));
  EXPECT_NE(key_of(true), key_of(false));
  EXPECT_NE(key_of(int64_t{1}), key_of(int64_t{1} << 40));
  EXPECT_NE(key_of(mode::fast), key_of(mode::exact));
}

TEST(Scalars, StringsAreTakenWithTheirLength) {
  EXPECT_NE(key_of("a\0b"s), key_of("a\0c"s));
  EXPECT_NE(key_of("a"s), key_of("a\0"s));
  EXPECT_NE(key_of(""s), key_of("\0"s));
  EXPECT_NE(Scalars().key("a", "xy"s).key("b", "z"s).key_bytes(), Scalars().key("a", "x"s).key("b", "yz"s).key_bytes());
}

TEST(Scalars, TextForMessages) {
  const Scalars made = Scalars()
                           .constant("a", true)
                           .constant("b", mode::exact)
                           .constant("c", 0.1)
                           .constant("d", int64_t{-4})
                           .constant("e", "text"s)
                           .constant("f", -0.0)
                           .constant("g", std::numeric_limits<float>::infinity());
  std::vector<std::string> texts;
  for (const auto& constant : made.constants()) {
    texts.push_back(std::string(constant.name) + " " + constant.value.text(constant.bytes));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"a true", "b 7", "c 0.10000000000000001", "d -4", "e \"text\"", "f -0", "g inf"}));
}

template <class T>
std::string text_of(const T& value) {
  const Scalars made = Scalars().key("before", 1).key("name", value);
  return made.key_values()[1].value.text(made.key_bytes());
}

TEST(Scalars, ListsAndOptionalsDifferWhereWhatTheyHoldDoes) {
  using numbers = std::vector<int64_t>;
  EXPECT_EQ(key_of(numbers{3, 4}), key_of(numbers{3, 4}));
  EXPECT_EQ(key_of(at::IntArrayRef(numbers{3, 4})), key_of(numbers{3, 4}));
  EXPECT_NE(key_of(numbers{3, 4}), key_of(numbers{4, 3}));
  EXPECT_NE(key_of(numbers{}), key_of(numbers{0}));
  EXPECT_NE(key_of(std::vector<std::string>{"ab", "c"}), key_of(std::vector<std::string>{"a", "bc"}));
  EXPECT_NE(key_of(std::vector<numbers>{{1}, {}}), key_of(std::vector<numbers>{{}, {1}}));
  EXPECT_NE(key_of(std::vector<double>{0.0}), key_of(std::vector<double>{-0.0}));
  EXPECT_NE(key_of(std::optional<bool>()), key_of(std::optional(false)));
  EXPECT_NE(key_of(std::optional<std::string>()), key_of(std::optional(""s)));
  EXPECT_NE(key_of(std::optional(numbers{})), key_of(std::optional<numbers>()));
  EXPECT_NE(key_of(c10::Device(c10::kCUDA, 0)), key_of(c10::Device(c10::kCUDA, 1)));
  EXPECT_NE(key_of(c10::Device(c10::kCUDA)), key_of(c10::Device(c10::kCPU)));
}

TEST(Scalars, TextOfListsOptionalsAndWordsOfLibTorch) {
  EXPECT_EQ(text_of(std::vector<int64_t>{3, -4}), "[3, -4]");
  EXPECT_EQ(text_of(at::IntArrayRef()), "[]");
  EXPECT_EQ(text_of(std::vector<bool>{true, false}), "[true, false]");
  EXPECT_EQ(text_of(std::vector<std::string>{"a", ""}), "[\"a\", \"\"]");
  EXPECT_EQ(text_of(std::vector<std::array<double, 2>>{{0.5, 1}}), "[[0.5, 1]]");
  EXPECT_EQ(text_of(c10::List<int64_t>({1, 2})), "[1, 2]");
  EXPECT_EQ(text_of(std::optional<double>()), "none");
  EXPECT_EQ(text_of(std::optional(0.5)), "0.5");
  EXPECT_EQ(text_of(std::optional(std::vector<int>{1})), "[1]");
  EXPECT_EQ(text_of(c10::Device(c10::kCUDA, 1)), "cuda:1");
  EXPECT_EQ(text_of(std::optional(c10::Device(c10::kCPU))), "cpu");
  EXPECT_EQ(text_of(at::kHalf), "f16");
  EXPECT_EQ(text_of(at::kStrided), "Strided");
  EXPECT_EQ(text_of(c10::MemoryFormat::ChannelsLast), "ChannelsLast");
  EXPECT_EQ(text_of(c10::kCUDA), "cuda");
}

TEST(Scalars, NumbersOfAnyTypeDifferWhereTheirTypeOrTheirBitsDo) {
  using any = c10::Scalar;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(key_of(any(1)), key_of(any(int64_t{1})));
  EXPECT_EQ(key_of(any(0.5)), key_of(any(0.5F)));
  EXPECT_EQ(key_of(any(nan)), key_of(any(nan)));
  EXPECT_EQ(key_of(any(c10::complex<double>(1, nan))), key_of(any(c10::complex<double>(1, nan))));
  EXPECT_NE(key_of(any(1)), key_of(any(1.0)));
  EXPECT_NE(key_of(any(1)), key_of(any(true)));
  EXPECT_NE(key_of(any(1.0)), key_of(any(c10::complex<double>(1, 0))));
  EXPECT_NE(key_of(any(0.0)), key_of(any(-0.0)));
  EXPECT_NE(key_of(any(c10::complex<double>(0, 0.0))), key_of(any(c10::complex<double>(0, -0.0))));
  EXPECT_NE(key_of(any(int64_t{-1})), key_of(any(std::numeric_limits<uint64_t>::max())));
  EXPECT_NE(key_of(any(int64_t{1} << 53)), key_of(any((int64_t{1} << 53) + 1)));
  EXPECT_NE(key_of(std::optional<any>()), key_of(std::optional<any>(0)));
  EXPECT_NE(key_of(std::vector<any>{1, 2.0}), key_of(std::vector<any>{1.0, 2}));
}

TEST(Scalars, TextOfNumbersOfAnyType) {
  EXPECT_EQ(text_of(c10::Scalar(-3)), "-3");
  EXPECT_EQ(text_of(c10::Scalar(-3.0)), "-3.0");
  EXPECT_EQ(text_of(c10::Scalar(1e30)), "1e+30");
  EXPECT_EQ(text_of(c10::Scalar(std::numeric_limits<double>::infinity())), "inf");
  EXPECT_EQ(text_of(c10::Scalar(false)), "false");
  EXPECT_EQ(text_of(c10::Scalar(std::numeric_limits<uint64_t>::max())), "18446744073709551615");
  EXPECT_EQ(text_of(c10::Scalar(c10::complex<double>(1, -0.5))), "(1.0, -0.5)");
  EXPECT_EQ(text_of(std::optional(c10::Scalar(2))), "2");
  EXPECT_EQ(text_of(std::vector<c10::Scalar>{1, true}), "[1, true]");
}

TEST_P(Scalar, ConstantListThatChangesIsAnError) {
  const scenario run(device(), true);
  test_callable f({{"x", {2}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
  f({run.random({2})}, Scalars().constant("sizes", std::vector<int64_t>{3, 4}).constant("scale", std::optional<double>()));
  try {
    f({run.random({2})}, Scalars().constant("sizes", std::vector<int64_t>{3, 4, 5}).constant("scale", std::optional<double>()));
    ADD_FAILURE() << "no error";
  } catch (const GuardError& error) {
    EXPECT_NE(std::string(error.what()).find("parameter 'sizes' is declared 'const': expected [3, 4], got [3, 4, 5]"), std::string::npos);
  }
  EXPECT_THROW(f({run.random({2})}, Scalars().constant("sizes", std::vector<int64_t>{3, 4}).constant("scale", std::optional(0.0))),
               GuardError);
}

}  // namespace scalars_test
