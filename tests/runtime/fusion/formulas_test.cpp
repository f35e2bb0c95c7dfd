// SPDX-License-Identifier: Apache-2.0
//
// The table against the dispatcher, and how calls are read by it.
#include "fusion/formulas.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cmath>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace formulas_test {

using namespace graphed::impl::fusion;

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) {
    found.push_back(word);
  }
  return found.empty() ? std::vector<std::string>{""} : found;
}

bool has_type(const c10::Argument& argument, char letter) {
  const auto kind = argument.real_type()->kind();
  const bool is_tensor = kind == c10::TypeKind::TensorType;
  const bool is_optional = kind == c10::TypeKind::OptionalType;
  switch (letter) {
    case 'e':
    case 'c':
    case '=':
      return is_tensor;
    case 'x':
      return is_tensor || kind == c10::TypeKind::NumberType;
    case 'l':
    case 'h':
      return is_optional || kind == c10::TypeKind::NumberType;
    case 't':
      return is_optional;
    case 's':
      return kind == c10::TypeKind::StringType;
    case 'n':  // also in the place of a tensor: one without dimensions in the host's memory
      return !is_optional;
    default:
      return !is_tensor && !is_optional;
  }
}

TEST(Formulas, HaveLettersForTheArgumentsOfTheirOperators) {
  for (const formula& row : formula_rows()) {
    const std::string letters = row.arguments;
    for (const std::string& overload : words(row.overloads)) {
      const auto op = c10::Dispatcher::singleton().findSchema({row.name, overload});
      ASSERT_TRUE(op) << row.name << "." << overload;
      ASSERT_LE(letters.size(), op->schema().arguments().size()) << op->schema();
      for (std::size_t i = 0; i < letters.size(); ++i) {
        EXPECT_TRUE(has_type(op->schema().arguments()[i], letters[i])) << letters[i] << " at " << i << ": " << op->schema();
      }
    }
  }
}

TEST(Formulas, HaveOneRowForANameAndItsLetters) {
  std::set<std::string> names;
  for (const formula& row : formula_rows()) {
    EXPECT_TRUE(names.insert(std::string(row.name) + " " + row.arguments).second) << row.name;
  }
}

std::optional<formula_use> find(const char* name, const char* overload, std::vector<c10::IValue> arguments) {
  return find_formula({name, overload}, arguments, 1000);
}

at::Tensor tensor(at::ScalarType dtype) { return at::ones({4}, at::TensorOptions(dtype)); }
at::Tensor wrapped(double number) {
  at::Tensor made = at::scalar_tensor(number, at::TensorOptions(at::kDouble));
  made.unsafeGetTensorImpl()->set_wrapped_number(true);
  return made;
}

TEST(Formulas, AreThoseOfInPlaceAndOutFormsToo) {
  const at::Tensor t = tensor(at::kFloat);
  const auto plain = find("aten::add", "Tensor", {t, t, 1});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->of, find("aten::add_", "Tensor", {t, t, 1})->of);
  EXPECT_EQ(plain->of, find("aten::add", "out", {t, t, 1, t})->of);
  EXPECT_TRUE(find("aten::eq", "Scalar_out", {t, 1, t}));
  EXPECT_TRUE(find("aten::pow", "Tensor_Scalar_out", {t, 2, t}));
  EXPECT_TRUE(find("aten::tanh_backward", "grad_input", {t, t, t}));
  EXPECT_TRUE(find("aten::zero_", "", {t}));
  EXPECT_FALSE(find("aten::pow", "Tensor_Tensor", {t, t}));
  EXPECT_FALSE(find("aten::div", "Tensor_mode", {t, t, "floor"}));
  EXPECT_FALSE(find("aten::mm", "", {t, t}));
}

TEST(Formulas, OfNumbersAreOthersThanOfTensors) {
  const at::Tensor t = tensor(at::kFloat);
  EXPECT_NE(find("aten::div", "Tensor", {t, wrapped(3)})->of, find("aten::div", "Tensor", {t, t})->of);
  EXPECT_EQ(find("aten::div", "Tensor", {wrapped(3), t})->of, find("aten::div", "Tensor", {t, t})->of);
  const auto use = find("aten::add", "Tensor", {t, wrapped(0.5), 2});
  ASSERT_TRUE(use);
  EXPECT_FALSE(use->operands[0].number);
  EXPECT_EQ(use->operands[1].number->toDouble(), 0.5);
  EXPECT_EQ(use->operands[2].number->toDouble(), 2);
}

TEST(Formulas, ComputeInTheCommonDtype) {
  const auto of = [](at::ScalarType a, c10::IValue b) {
    const auto use = find("aten::mul", "Tensor", {tensor(a), std::move(b)});
    return use ? use->computes_in : at::ScalarType::Undefined;
  };
  for (const at::ScalarType a : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kBool}) {
    for (const at::ScalarType b : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kBool}) {
      EXPECT_EQ(of(a, tensor(b)), at::result_type(tensor(a), tensor(b))) << a << " " << b;
    }
    EXPECT_EQ(of(a, wrapped(2)), at::result_type(tensor(a), wrapped(2))) << a;
  }
  EXPECT_EQ(find("aten::exp", "", {tensor(at::kLong)})->computes_in, at::kFloat);
  EXPECT_FALSE(find("aten::floor", "", {tensor(at::kLong)}));
  EXPECT_FALSE(find("aten::exp", "", {tensor(at::kComplexFloat)}));
  EXPECT_EQ(find("aten::copy_", "", {tensor(at::kHalf), tensor(at::kFloat), false})->computes_in, at::kHalf);
  EXPECT_EQ(find("aten::clamp", "", {tensor(at::kLong), 0.5, {}})->computes_in, at::kFloat);
  EXPECT_EQ(find("aten::where", "self", {tensor(at::kBool), tensor(at::kLong), tensor(at::kLong)})->computes_in, at::kLong);
}

TEST(Formulas, HaveNoneForLimitsThatLibTorchFillsIn) {
  const at::Tensor t = tensor(at::kFloat);
  EXPECT_FALSE(find("aten::clamp_min", "", {t, NAN}));
  EXPECT_FALSE(find("aten::clamp", "", {t, 0, NAN}));
  EXPECT_EQ(find("aten::clamp", "", {t, 0, {}})->operands[2].number->toDouble(), INFINITY);
}

TEST(Formulas, HaveNoneForMemoryWithoutTheValues) {
  const at::Tensor imaginary = at::imag(at::ones({4}, at::kComplexFloat).conj());
  EXPECT_TRUE(imaginary.is_neg());
  EXPECT_FALSE(find("aten::exp", "", {imaginary}));
}

TEST(Formulas, ReadLossesByTheirReduction) {
  const at::Tensor t = tensor(at::kFloat);
  EXPECT_TRUE(find("aten::mse_loss", "", {t, t, 0}));
  EXPECT_FALSE(find("aten::mse_loss", "", {t, t, 1}));
  const auto factor = [&](int64_t reduction) {
    return find("aten::mse_loss_backward", "", {t, t, t, reduction})->operands[3].number->toDouble();
  };
  EXPECT_EQ(factor(0), 2);
  EXPECT_EQ(factor(1), 2. / 1000);
  EXPECT_EQ(factor(2), 2);
}

}  // namespace formulas_test
