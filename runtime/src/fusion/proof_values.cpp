// SPDX-License-Identifier: Apache-2.0
#include "fusion/proof_values.h"

#include <ATen/Functions.h>

#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

namespace graphed::impl::fusion {

namespace {

constexpr uint64_t grid = 16384;  // of combinations of special values

template <typename T>
std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (limits::is_integer) {
    return {T(0), T(1), T(2), T(3), T(7), T(100), T(-1), T(-2), T(-3), limits::max(), limits::lowest(), T(limits::max() - 1)};
  } else {
    const auto both = [](std::vector<T> values) {
      const std::size_t count = values.size();
      for (std::size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<T>(-values[i]));
      }
      return values;
    };
    return both({T(0), T(1), T(0.5), T(2), T(3), T(6), T(20), limits::infinity(), limits::quiet_NaN(), limits::denorm_min(), limits::min(),
                 limits::max()});
  }
}

template <typename T>
T value_at(uint64_t i, unsigned place, const std::vector<T>& special, std::mt19937_64& random) {
  const uint64_t bits = random();
  if (i < grid) {
    uint64_t index = i;
    for (unsigned p = 0; p < place; ++p) {
      index /= special.size();
    }
    return special[index % special.size()];
  }
  const bool has_all_patterns = sizeof(T) == 2 && place == 0;
  if (has_all_patterns || i % 2 == 0) {
    T value;
    const uint64_t pattern = has_all_patterns ? i : bits;
    std::memcpy(&value, &pattern, sizeof value);
    return value;
  }
  constexpr double sizes[] = {1, 1, 4, 30, 1e3, 1e-3, 1e-6, 1e-39};
  const double value = static_cast<double>(static_cast<int64_t>(bits)) / 0x1p63 * sizes[i / 2 % 8];
  return static_cast<T>(static_cast<float>(value));
}

template <typename T>
void fill(at::Tensor& values, unsigned place) {
  std::mt19937_64 random(place + 1);
  const std::vector<T> special = special_values<T>();
  for (int64_t i = 0; i < values.numel(); ++i) {
    values.mutable_data_ptr<T>()[i] = value_at<T>(static_cast<uint64_t>(i), place, special, random);
  }
}

/// Exponents, some of which have kernels of their own.
constexpr double special_exponents[] = {2, 3, 0.5, -0.5, -1, -2, 1.7, 0, 1, -3};
bool has_special_numbers(const formula& of) { return std::string_view(of.arguments).find('d') != std::string_view::npos; }

}  // namespace

at::Tensor proof_values(at::ScalarType dtype, unsigned place) {
  at::Tensor values = at::empty({proof_elements}, at::TensorOptions(dtype));
  std::mt19937_64 random(place + 1);
  switch (dtype) {
    case at::kFloat:
      fill<float>(values, place);
      break;
    case at::kDouble:
      fill<double>(values, place);
      break;
    case at::kHalf:
      fill<c10::Half>(values, place);
      break;
    case at::kBFloat16:
      fill<c10::BFloat16>(values, place);
      break;
    case at::kLong:
      fill<int64_t>(values, place);
      break;
    case at::kInt:
      fill<int32_t>(values, place);
      break;
    default:
      for (int64_t i = 0; i < proof_elements; ++i) {
        values.mutable_data_ptr<bool>()[i] = random() % 2 != 0;
      }
  }
  return values;
}

std::size_t proof_runs(const formula& of) {
  const std::string_view letters = of.arguments;
  return has_special_numbers(of) ? std::size(special_exponents) : letters.find_first_of("xnlhsrR") != std::string_view::npos ? 3 : 1;
}

c10::Scalar proof_number(const formula& of, at::ScalarType dtype, std::size_t run, std::size_t place) {
  if (has_special_numbers(of)) {
    return special_exponents[run];
  }
  const bool is_one = (run + place) % 2 == 0;
  return dtype == at::kBool                                  ? c10::Scalar(is_one)
         : c10::isIntegralType(dtype, /*includeBool=*/false) ? c10::Scalar(is_one ? 1 : 3)
                                                             : c10::Scalar(is_one ? 1. : 0.3);
}

}  // namespace graphed::impl::fusion
