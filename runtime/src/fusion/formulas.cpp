// SPDX-License-Identifier: Apache-2.0
#include "fusion/formulas.h"

#include <ATen/core/Tensor.h>
#include <c10/core/DefaultDtype.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace graphed::impl::fusion {

namespace {

bool is_one_of(std::string_view word, std::string_view words) {
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

/// The row's own overload of an in-place or out= form; "out" and "grad_input" are those of any.
bool has_overload(const formula& row, std::string_view overload) {
  constexpr std::string_view suffix = "_out";
  if (overload == "out" || overload == "grad_input") {
    return true;
  }
  if (overload.size() > suffix.size() && overload.substr(overload.size() - suffix.size()) == suffix) {
    overload.remove_suffix(suffix.size());
  }
  return is_one_of(overload, row.overloads);
}

bool is_nan(const c10::Scalar& number) { return number.isFloatingPoint() && std::isnan(number.toDouble()); }

/// Whether its elements are the values in its memory.
bool is_plain(const at::Tensor& tensor) { return tensor.layout() == c10::kStrided && !tensor.is_neg() && !tensor.is_conj(); }

bool is_number(const at::Tensor& tensor) { return tensor.defined() && tensor.device().is_cpu() && tensor.dim() == 0; }

std::optional<c10::Scalar> number_of(const at::Tensor& tensor) {
  const void* data = tensor.const_data_ptr();
  switch (tensor.scalar_type()) {
    case at::kDouble:
      return c10::Scalar(*static_cast<const double*>(data));
    case at::kFloat:
      return c10::Scalar(*static_cast<const float*>(data));
    case at::kLong:
      return c10::Scalar(*static_cast<const int64_t*>(data));
    case at::kInt:
      return c10::Scalar(*static_cast<const int32_t*>(data));
    case at::kBool:
      return c10::Scalar(*static_cast<const bool*>(data));
    default:
      return std::nullopt;
  }
}

std::optional<c10::Scalar> number_of(const c10::IValue& value) {
  if (value.isScalar() && !value.isComplexDouble()) {
    return value.toScalar();
  }
  return value.isTensor() && is_number(value.toTensor()) ? number_of(value.toTensor()) : std::nullopt;
}

/// The common dtype of operands as LibTorch's promotion finds it: what has dimensions comes before what has none, and both before numbers.
class common_dtype {
 public:
  void add(const at::Tensor& tensor) {
    const bool is_wrapped = tensor.unsafeGetTensorImpl()->is_wrapped_number();
    add(tensor.dim() > 0 ? with_dimensions_
        : is_wrapped     ? numbers_
                         : without_,
        is_wrapped ? of_number(tensor.scalar_type()) : tensor.scalar_type());
  }
  void add(const c10::Scalar& number) { add(numbers_, of_number(number.type())); }
  at::ScalarType get() const { return over(with_dimensions_, over(without_, numbers_)); }

 private:
  static at::ScalarType of_number(at::ScalarType dtype) {
    return at::isFloatingType(dtype) ? c10::get_default_dtype_as_scalartype() : dtype;
  }
  static void add(at::ScalarType& state, at::ScalarType dtype) { state = either(state, dtype); }
  static at::ScalarType either(at::ScalarType a, at::ScalarType b) {
    return a == at::ScalarType::Undefined ? b : b == at::ScalarType::Undefined ? a : c10::promoteTypes(a, b);
  }
  static at::ScalarType over(at::ScalarType higher, at::ScalarType lower) {
    if (higher == at::ScalarType::Undefined || at::isFloatingType(higher)) {
      return either(higher, at::isFloatingType(higher) ? at::ScalarType::Undefined : lower);
    }
    return higher == at::kBool || (lower != at::ScalarType::Undefined && at::isFloatingType(lower)) ? either(higher, lower) : higher;
  }

  at::ScalarType with_dimensions_ = at::ScalarType::Undefined;
  at::ScalarType without_ = at::ScalarType::Undefined;
  at::ScalarType numbers_ = at::ScalarType::Undefined;
};

/// The mean is at::Reduction::Mean, 1.
c10::Scalar reduction_factor(int64_t reduction, double factor, int64_t elements) {
  return c10::Scalar(reduction == 1 ? factor / static_cast<double>(elements) : factor);
}

/// The call of a row, as its letters are read from left to right.
class reader {
 public:
  reader(const formula& row, c10::ArrayRef<c10::IValue> arguments, int64_t elements) : arguments_(arguments), elements_(elements) {
    use_.of = &row;
  }

  std::optional<formula_use> read() {
    const std::size_t letters = std::strlen(use_.of->arguments);
    if (letters > arguments_.size()) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < letters; ++i) {
      if (!take(i, use_.of->arguments[i])) {
        return std::nullopt;
      }
    }
    return finish();
  }

 private:
  bool take(std::size_t i, char letter) {
    const c10::IValue& value = arguments_[i];
    const auto number = number_of(value);
    const bool is_tensor = value.isTensor() && value.toTensor().defined();
    switch (letter) {
      case 'e':
      case 'x':
        if (is_tensor && (!number || letter == 'e')) {
          dtype_.add(value.toTensor());
          return !is_number(value.toTensor()) && push(i, std::nullopt);
        }
        if (letter == 'x' && number) {
          is_tensor ? dtype_.add(value.toTensor()) : dtype_.add(*number);
        }
        return letter == 'x' && number && push(i, number);
      case 'c':
        return is_tensor && !number && value.toTensor().scalar_type() == at::kBool && push(i, std::nullopt);
      case 'n':
      case 'd':
        return number && (letter == 'n' || add(*number)) && push(i, number);
      case 'l':
      case 'h':
        return value.isNone() ? push(i, limit(letter)) : number && !is_nan(*number) && add(*number) && push(i, number);
      case 's':
        return value.isString() && push(i, c10::Scalar(value.toStringRef() == "tanh" ? 1 : 0));
      case 'z':
        return value.isInt() && value.toInt() == 0;
      case 'r':
      case 'R':
        return value.isInt() && push(i, reduction_factor(value.toInt(), letter == 'R' ? 2 : 1, elements_));
      case '=':
        given_ = is_tensor ? value.toTensor().scalar_type() : at::ScalarType::Undefined;
        return is_tensor;
      case 't':
        given_ = value.isInt() ? static_cast<at::ScalarType>(value.toInt()) : given_;
        return value.isInt() || value.isNone();
      default:
        return true;
    }
  }
  bool add(const c10::Scalar& number) {
    dtype_.add(number);
    return true;
  }
  static c10::Scalar limit(char letter) {
    const double infinity = std::numeric_limits<double>::infinity();
    return c10::Scalar(letter == 'l' ? -infinity : infinity);
  }
  bool push(std::size_t argument, std::optional<c10::Scalar> number) {
    use_.operands.push_back({argument, number});
    return number || is_plain(arguments_[argument].toTensor());
  }
  std::optional<formula_use> finish() {
    at::ScalarType dtype = given_ != at::ScalarType::Undefined ? given_ : dtype_.get();
    if (use_.of->on == dtypes::promoted && c10::isIntegralType(dtype, /*includeBool=*/true)) {
      dtype = c10::get_default_dtype_as_scalartype();
    }
    use_.computes_in = dtype;
    return holds_for(*use_.of, dtype) ? std::optional<formula_use>(use_) : std::nullopt;
  }

  c10::ArrayRef<c10::IValue> arguments_;
  int64_t elements_;
  formula_use use_{};
  common_dtype dtype_;
  at::ScalarType given_ = at::ScalarType::Undefined;
};

}  // namespace

bool holds_for(const formula& row, at::ScalarType dtype) {
  const bool is_integer = dtype == at::kLong || dtype == at::kInt;
  const bool is_floating = dtype == at::kDouble || dtype == at::kFloat || dtype == at::kHalf || dtype == at::kBFloat16;
  switch (row.on) {
    case dtypes::floating:
    case dtypes::promoted:
      return is_floating;
    case dtypes::to_float32:
      return is_floating && dtype != at::kDouble;
    case dtypes::numbers:
      return is_floating || is_integer;
    case dtypes::all:
      return is_floating || is_integer || dtype == at::kBool;
    case dtypes::integral:
      return is_integer || dtype == at::kBool;
  }
  return false;
}

std::optional<formula_use> find_formula(const c10::OperatorName& name, c10::ArrayRef<c10::IValue> arguments, int64_t elements) {
  std::string_view base = name.name;
  base.remove_suffix(!base.empty() && base.back() == '_' ? 1 : 0);
  for (const formula& row : formula_rows()) {
    if (base == row.name && has_overload(row, name.overload_name)) {
      if (auto use = reader(row, arguments, elements).read()) {
        return use;
      }
    }
  }
  return std::nullopt;
}

}  // namespace graphed::impl::fusion
