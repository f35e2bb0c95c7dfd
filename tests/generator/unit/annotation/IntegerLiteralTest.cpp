// SPDX-License-Identifier: Apache-2.0
//
// Integer literals of C++ in every base, and each way of getting one wrong.
#include "annotation/IntegerLiteral.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace graphgen::annotation {
namespace {

TEST(IntegerLiteral, ReadsEveryBaseSeparatorAndSuffix) {
  const std::vector<std::pair<const char*, int64_t>> Cases = {
      {"0", 0},
      {"7", 7},
      {"1024", 1024},
      {"1'000'000", 1000000},
      {"0x40", 64},
      {"0XfF", 255},
      {"0x1'00", 256},
      {"0b1000", 8},
      {"0B1'0", 2},
      {"010", 8},
      {"0'10", 8},
      {"0777", 511},
      {"0u", 0},
      {"64u", 64},
      {"64U", 64},
      {"64l", 64},
      {"64L", 64},
      {"64ll", 64},
      {"64LL", 64},
      {"64ul", 64},
      {"64LU", 64},
      {"64uLL", 64},
      {"64llU", 64},
      {"64z", 64},
      {"64uz", 64},
      {"64ZU", 64},
      {"0x10ull", 16},
      {"9223372036854775807", std::numeric_limits<int64_t>::max()},
      {"0x7fffffffffffffff", std::numeric_limits<int64_t>::max()},
      {"0777777777777777777777", std::numeric_limits<int64_t>::max()},
  };
  for (const auto& [Text, Value] : Cases) {
    SCOPED_TRACE(Text);
    const IntegerLiteral Result = readIntegerLiteral(Text);
    EXPECT_EQ(Result.Error, "");
    EXPECT_EQ(Result.Value, Value);
  }
}

struct WrongLiteral {
  const char* Text;
  unsigned Begin;
  unsigned End;
  const char* Error;
};

TEST(IntegerLiteral, PointsAtTheByteThatIsWrong) {
  const char* const Separator = "a digit separator must be between two digits";
  const char* const Floating = "expected an integer, got a floating-point number";
  const char* const TooLarge = "the integer exceeds 64 bits with a sign";
  const std::vector<WrongLiteral> Cases = {
      {"1'", 1, 2, Separator},
      {"1''0", 1, 2, Separator},
      {"0x'1", 2, 3, Separator},
      {"1'u", 1, 2, Separator},
      {"0b1'2", 3, 4, Separator},
      {"08", 1, 2, "digit '8' in an octal integer"},
      {"0179", 3, 4, "digit '9' in an octal integer"},
      {"0b102", 4, 5, "digit '2' in a binary integer"},
      {"0b2", 2, 3, "digit '2' in a binary integer"},
      {"0x", 2, 2, "expected digits after '0x'"},
      {"0b", 2, 2, "expected digits after '0b'"},
      {"0xg", 2, 3, "unknown suffix 'g' on an integer"},
      {"0xu", 2, 3, "unknown suffix 'u' on an integer"},
      {"12abc", 2, 5, "unknown suffix 'abc' on an integer"},
      {"1f", 1, 2, "unknown suffix 'f' on an integer"},
      {"1lL", 1, 3, "unknown suffix 'lL' on an integer"},
      {"1_000", 1, 5, "unknown suffix '_000' on an integer"},
      {"1.", 0, 2, Floating},
      {"1.5", 0, 3, Floating},
      {"0.5f", 0, 4, Floating},
      {"1e5", 0, 3, Floating},
      {"0x1p3", 0, 5, Floating},
      {"9223372036854775808", 0, 19, TooLarge},
      {"0xffffffffffffffff", 0, 18, TooLarge},
      {"99999999999999999999999999999999", 0, 32, TooLarge},
  };
  for (const WrongLiteral& Case : Cases) {
    SCOPED_TRACE(Case.Text);
    const IntegerLiteral Result = readIntegerLiteral(Case.Text);
    EXPECT_EQ(Result.Error, Case.Error);
    EXPECT_EQ(Result.Where.Begin, Case.Begin);
    EXPECT_EQ(Result.Where.End, Case.End);
  }
}

}  // namespace
}  // namespace graphgen::annotation
