// SPDX-License-Identifier: Apache-2.0
//
// Each row of the table against LibTorch on a GPU, bit for bit.
#include "fusion/proof.h"
#include "fusion/one_operator.h"

#include <gtest/gtest.h>

#include <torch/cuda.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace proof_test {

using namespace graphed::impl::fusion;
using namespace graphed::testing;

/// The claims of a row for a dtype: with tensors, and with a number in each place that may have one.
std::vector<claim> claims_of_row(const formula& row, at::ScalarType operands, at::ScalarType computes_in) {
  const std::string_view letters = row.arguments;
  std::vector<claim> claims;
  for (std::size_t number = 0; number <= letters.size(); ++number) {  // the last: none
    if (number < letters.size() && letters[number] != 'x') {
      continue;
    }
    claim made{&row, {}, computes_in};
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const char letter = letters[i];
      if (letter == 'c') {
        made.operands.push_back(at::kBool);
      } else if (letter == 'e' || letter == 'x') {
        made.operands.push_back(i == number ? at::ScalarType::Undefined : operands);
      } else if (std::string_view("ndlhsrR").find(letter) != std::string_view::npos) {
        made.operands.push_back(at::ScalarType::Undefined);
      }
    }
    claims.push_back(std::move(made));
  }
  return claims;
}

class FusionProof : public ::testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "there is no GPU";
    }
  }
  static void expect_proven(const std::vector<claim>& claims) {
    const std::vector<std::string> failures = failures_of(claims);
    for (std::size_t i = 0; i < claims.size(); ++i) {
      EXPECT_EQ(failures[i], "") << claims[i].text();
    }
  }
};

TEST_P(FusionProof, EachFormulaHasTheBitsOfLibTorch) {
  std::vector<claim> claims;
  for (const formula& row : formula_rows()) {
    if (holds_for(row, GetParam())) {
      const auto found = claims_of_row(row, GetParam(), GetParam());
      claims.insert(claims.end(), found.begin(), found.end());
    }
  }
  expect_proven(claims);
}

/// After a conversion LibTorch's kernel may give a NaN another sign. Such a claim is not proven, and nothing relies on it.
bool is_of_nans_alone(const std::string& failure) {
  const std::string count = failure.substr(0, failure.find(' '));
  return failure.find(" values differ, " + count + " of them only in the bits of a NaN") != std::string::npos;
}

TEST_P(FusionProof, ConversionsOfOperandsHaveTheBitsOfLibTorch) {
  std::vector<claim> claims;
  for (const formula& row : formula_rows()) {
    const std::string_view name = row.name;
    for (const at::ScalarType from : fused_dtypes()) {
      if (name == "aten::_to_copy") {
        claims.push_back({&row, {from}, GetParam()});
      } else if (name == "aten::mul" && from != GetParam()) {
        claims.push_back({&row, {from, GetParam()}, at::promoteTypes(from, GetParam())});
      } else if (row.on == dtypes::promoted && GetParam() == at::kFloat && at::isIntegralType(from, true)) {
        const auto found = claims_of_row(row, from, at::kFloat);
        claims.push_back(found.back());
      }
    }
  }
  const std::vector<std::string> failures = failures_of(claims);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    EXPECT_TRUE(failures[i].empty() || is_of_nans_alone(failures[i])) << claims[i].text() << ": " << failures[i];
  }
}

INSTANTIATE_TEST_SUITE_P(, FusionProof, ::testing::ValuesIn(fused_dtypes()), [](const auto& info) { return c10::toString(info.param); });

const formula& row_of(std::string_view name) {
  for (const formula& row : formula_rows()) {
    if (row.name == name) {
      return row;
    }
  }
  throw std::invalid_argument(std::string(name));
}

TEST(FusionProofKept, IsFoundAgain) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "there is no GPU";
  }
  const claim holds{&row_of("aten::add"), {at::kFloat, at::kFloat, at::ScalarType::Undefined}, at::kFloat};
  EXPECT_TRUE(prove({holds}).empty());
  EXPECT_EQ(is_proven(holds), true);
}

TEST(FusionProofKept, FindsAWrongRounding) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "there is no GPU";
  }
  formula wrong = row_of("aten::tanh_backward");
  wrong.body = "mul(a, sub(T(1), mul(b, b)))";
  const claim contracted{&wrong, {at::kFloat, at::kFloat}, at::kFloat};
  EXPECT_NE(failures_of({contracted})[0].find("values differ"), std::string::npos) << failures_of({contracted})[0];
}

}  // namespace proof_test
