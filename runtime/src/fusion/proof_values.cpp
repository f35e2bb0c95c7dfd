// SPDX-License-Identifier: Apache-2.0
#include "fusion/proof_values.h"

#include <ATen/Functions.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string_view>

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

std::vector<std::vector<c10::Scalar>> proof_numbers(const formula& of, at::ScalarType dtype, std::size_t count) {
  const std::string_view letters = of.arguments;
  if (count == 0) {
    const bool has_choices = letters.find_first_of("srR") != std::string_view::npos;
    return std::vector<std::vector<c10::Scalar>>(has_choices ? 3 : 1);
  }
  std::vector<double> from{1, 0.3, 2.5, -1.5};
  if (letters.find('d') != std::string_view::npos) {
    from = {2, 3, 0.5, -0.5, -1, -2, 1.7, 0, 1, -3};
  } else if (c10::isIntegralType(dtype, /*includeBool=*/false)) {
    from = {1, 3, 2, -5};
  }
  std::vector<std::vector<c10::Scalar>> sets(from.size());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (std::size_t i = 0; i < count; ++i) {
      const double number = from[(set + i) % from.size()];
      sets[set].push_back(dtype == at::kBool                  ? c10::Scalar(number > 0)
                          : c10::isIntegralType(dtype, false) ? c10::Scalar(static_cast<int64_t>(number))
                                                              : c10::Scalar(number));
    }
  }
  return sets;
}

}  // namespace graphed::impl::fusion
