// SPDX-License-Identifier: Apache-2.0
#include "fusion/kernel_source.h"

#include "fusion/prelude.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <vector>

namespace graphed::impl::fusion {

namespace {

std::string type_of(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat:
      return "float";
    case at::kDouble:
      return "double";
    case at::kHalf:
      return "half";
    case at::kBFloat16:
      return "bfloat16";
    case at::kLong:
      return "long long";
    case at::kInt:
      return "int";
    case at::kBool:
      return "bool";
    default:
      TORCH_INTERNAL_ASSERT(false, "graphed: no fused kernel has tensors of ", dtype);
  }
}

/// T of a formula.
at::ScalarType computed_type(const formula& of, at::ScalarType computes_in) {
  const bool is_half = computes_in == at::kHalf || computes_in == at::kBFloat16;
  return is_half && of.in == arithmetic::opmath ? at::kFloat : computes_in;
}

/// The letters of the arguments that are operands, in order.
std::string operand_letters(const formula& of) {
  std::string letters;
  for (const char letter : std::string_view(of.arguments)) {
    if (std::string_view("-z=t").find(letter) == std::string_view::npos) {
      letters += letter;
    }
  }
  return letters;
}

std::string printed(const char* format, double value, const char* suffix) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  const bool is_whole = std::strpbrk(text, ".e") == nullptr;
  return std::string(text) + (is_whole ? ".0" : "") + suffix;
}

template <typename Bits, typename Value>
std::string bits_literal(const char* function, Value value) {
  Bits bits;
  static_assert(sizeof bits == sizeof value);
  std::memcpy(&bits, &value, sizeof bits);
  return std::string(function) + "(" + std::to_string(bits) + "u" + (sizeof bits == 8 ? "ll" : "") + ")";
}

template <typename T>
T cast(const c10::Scalar& number) {
  return number.isFloatingPoint() ? static_cast<T>(number.toDouble())
         : number.isBoolean()     ? static_cast<T>(number.toBool())
                                  : static_cast<T>(number.toLong());
}

/// An integer of a number; infinities, which stand for limits that are not given, are its own limits.
template <typename T>
std::string integer_literal(const c10::Scalar& number, const char* suffix) {
  const bool is_infinite = number.isFloatingPoint() && std::isinf(number.toDouble());
  const T value = !is_infinite ? cast<T>(number) : number.toDouble() < 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  return value == std::numeric_limits<T>::lowest() ? "(" + std::to_string(value + 1) + suffix + " - 1)" : std::to_string(value) + suffix;
}

std::string literal(const c10::Scalar& number, at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat: {
      const float value = cast<float>(number);
      return std::isfinite(value) ? printed("%.9g", value, "f") : bits_literal<uint32_t>("float_of", value);
    }
    case at::kDouble: {
      const double value = cast<double>(number);
      return std::isfinite(value) ? printed("%.17g", value, "") : bits_literal<uint64_t>("double_of", value);
    }
    case at::kHalf:
      return "of_bits<half>(" + std::to_string(c10::Half(cast<float>(number)).x) + ")";
    case at::kBFloat16:
      return "of_bits<bfloat16>(" + std::to_string(c10::BFloat16(cast<float>(number)).x) + ")";
    case at::kLong:
      return integer_literal<int64_t>(number, "ll");
    case at::kInt:
      return integer_literal<int32_t>(number, "");
    default:
      return cast<bool>(number) ? "true" : "false";
  }
}

/// "aten_tanh_backward", and the letters where rows share a name.
std::string function_name(const formula& of) {
  std::string name = std::string(of.name).replace(0, std::string_view("aten::").size(), "aten_") + "_" + of.arguments;
  std::replace(name.begin(), name.end(), '=', 'o');
  return name;
}

std::string function_text(const formula& of) {
  const std::string letters = operand_letters(of);
  std::string parameters;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char* type = letters[i] == 'c' ? "bool" : letters[i] == 'd' ? "double" : "T";
    parameters += std::string(i == 0 ? "" : ", ") + type + " " + static_cast<char>('a' + i);
  }
  const std::string body = of.body;
  const bool is_expression = body.find("return") == std::string::npos;
  return std::string("template <typename T> FUSED ") + (of.is_boolean ? "bool " : "T ") + function_name(of) + "(" + parameters + ") {" +
         (is_expression ? " return " + body + "; }\n" : body + "\n}\n");
}

int64_t elements_of(const group& of) { return std::accumulate(of.sizes.begin(), of.sizes.end(), int64_t{1}, std::multiplies<>()); }

/// How many neighbouring elements a thread takes: four where all memories have them side by side and aligned, or have one for all.
int width_of(const group& of) {
  const auto is_whole = [](int64_t stride) { return stride % 4 == 0; };
  const auto allows = [&](const memory& m) {
    const bool is_row = m.strides.back() == 1 && m.is_aligned && std::all_of(m.strides.begin(), m.strides.end() - 1, is_whole);
    return m.strides.back() == 0 || is_row;
  };
  const bool is_divisible = !of.sizes.empty() && is_whole(of.sizes.back());
  return is_divisible && std::all_of(of.memories.begin(), of.memories.end(), allows) ? 4 : 1;
}

unsigned blocks_of_group(const group& of) {
  const int64_t elements = int64_t{width_of(of)} * threads_of_block;
  return static_cast<unsigned>((elements_of(of) + elements - 1) / elements);
}

/// Writes the function of one group, which computes the elements of one thread.
class group_writer {
 public:
  explicit group_writer(const group& of) : group_(of), width_(width_of(of)), is_row_major_(of.memories.size()) {
    std::transform(of.memories.begin(), of.memories.end(), is_row_major_.begin(), [&](const memory& m) { return is_row_major(m); });
    for (const store& s : of.stores) {
      stores_[s.memory] = s.step;
    }
  }

  std::string write(const std::string& name) {
    std::string parameters;
    for (std::size_t m = 0; m < group_.memories.size(); ++m) {
      parameters += c10::str(", ", type_of(group_.memories[m].dtype), "* m", m);
    }
    line("FUSED void ", name, "(", index_type(), " thread", parameters, ") {");
    line("  const ", index_type(), " i = thread * ", width_, ";");
    line("  if (i >= ", elements_of(group_), ") return;");
    indices();
    loads();
    for (const auto& [m, computed] : stores_) {
      line("  elements<", type_of(group_.memories[m].dtype), ", ", width_, "> s", m, ";");
    }
    line("#pragma unroll");
    line("  for (int e = 0; e < ", width_, "; ++e) {");
    for (std::size_t i = 0; i < group_.steps.size(); ++i) {
      line("    const ", type_of(group_.steps[i].dtype), " v", i, " = ", call_of(group_.steps[i]), ";");
    }
    for (const auto& [m, computed] : stores_) {
      line("    s", m, ".at[e] = v", computed, ";");
    }
    line("  }");
    for (const auto& [m, computed] : stores_) {
      line("  ", place(m, width_), " = s", m, ";");
    }
    line("}");
    return text_;
  }

 private:
  template <typename... Parts>
  void line(const Parts&... parts) {
    text_ += c10::str(parts..., "\n");
  }

  const char* index_type() const {
    int64_t largest = elements_of(group_) + int64_t{4} * threads_of_block;
    for (const memory& m : group_.memories) {
      largest = std::max(largest, std::inner_product(m.strides.begin(), m.strides.end(), group_.sizes.begin(), int64_t{0}));
    }
    return largest <= std::numeric_limits<int32_t>::max() ? "unsigned" : "unsigned long long";
  }
  bool is_row_major(const memory& m) const {
    int64_t stride = 1;
    for (std::size_t d = group_.sizes.size(); d-- > 0; stride *= group_.sizes[d]) {
      if (m.strides[d] != stride && group_.sizes[d] != 1) {
        return false;
      }
    }
    return true;
  }

  /// i0, i1 ... of the first element, where a memory is not in its order.
  void indices() {
    int64_t inner = 1;
    for (std::size_t d = group_.sizes.size(); d-- > 0; inner *= group_.sizes[d]) {
      const auto is_used = [&](const memory& m) { return m.strides[d] != 0 && !is_row_major(m); };
      if (std::any_of(group_.memories.begin(), group_.memories.end(), is_used)) {
        const std::string rest = inner == 1 ? "i" : c10::str("i / ", inner);
        line("  const ", index_type(), " i", d, " = ", rest, d == 0 ? "" : c10::str(" % ", group_.sizes[d]), ";");
      }
    }
  }
  std::string offset(std::size_t index) const {
    const memory& m = group_.memories[index];
    std::string sum = is_row_major_[index] ? " + i" : "";
    for (std::size_t d = 0; d < group_.sizes.size() && !is_row_major_[index]; ++d) {
      sum += m.strides[d] == 0 ? "" : m.strides[d] == 1 ? c10::str(" + i", d) : c10::str(" + i", d, " * ", m.strides[d]);
    }
    return sum;
  }
  std::string place(std::size_t index, int width) const {
    return c10::str("*(elements<", type_of(group_.memories[index].dtype), ", ", width, ">*)(m", index, offset(index), ")");
  }
  /// A memory that is the same for all of a thread's elements is read once.
  int width_of_load(std::size_t index) const { return width_ > 1 && group_.memories[index].strides.back() == 1 ? width_ : 1; }

  void loads() {
    std::set<std::size_t> read;
    for (const step& s : group_.steps) {
      for (const operand& o : s.operands) {
        if (o.from == operand::source::memory && read.insert(o.index).second) {
          line("  const auto l", o.index, " = ", place(o.index, width_of_load(o.index)), ";");
        }
      }
    }
  }

  static std::string converted(const std::string& text, at::ScalarType from, at::ScalarType to) {
    return from == to ? text : c10::str("to<", type_of(to), ">::from(", text, ")");
  }
  std::string argument(const step& s, const operand& o, char letter) const {
    const at::ScalarType type = computed_type(*s.of, s.computes_in);
    if (o.from == operand::source::number) {
      return literal(o.number, letter == 'd' ? at::kDouble : type);
    }
    const bool is_step = o.from == operand::source::step;
    const at::ScalarType dtype = is_step ? group_.steps[o.index].dtype : group_.memories[o.index].dtype;
    const std::string value = is_step ? c10::str("v", o.index) : c10::str("l", o.index, width_of_load(o.index) > 1 ? ".at[e]" : ".at[0]");
    return letter == 'c' ? converted(value, dtype, at::kBool) : converted(converted(value, dtype, s.computes_in), s.computes_in, type);
  }
  std::string call_of(const step& s) const {
    const at::ScalarType type = computed_type(*s.of, s.computes_in);
    const std::string letters = operand_letters(*s.of);
    TORCH_INTERNAL_ASSERT(letters.size() == s.operands.size(), "graphed: ", s.of->name, " has ", s.operands.size(), " operands");
    std::string arguments;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      arguments += (i == 0 ? "" : ", ") + argument(s, s.operands[i], letters[i]);
    }
    const std::string call = c10::str(function_name(*s.of), "<", type_of(type), ">(", arguments, ")");
    return s.of->is_boolean ? converted(call, at::kBool, s.dtype) : converted(converted(call, type, s.computes_in), s.computes_in, s.dtype);
  }

  const group& group_;
  int width_;
  std::vector<bool> is_row_major_;
  std::map<std::size_t, std::size_t> stores_;  // memory and the last step that is stored there
  std::string text_;
};

std::string kernel_text(const kernel& launch, target where) {
  const bool is_device = where == target::device;
  std::string functions;
  std::string parameters;
  std::string calls;
  std::size_t parameter = 0;
  unsigned block = 0;
  for (std::size_t g = 0; g < launch.groups.size(); ++g) {
    const group& of = launch.groups[g];
    const std::string name = c10::str(launch.name, "_", g);
    functions += group_writer(of).write(name);
    std::string arguments;
    for (const memory& m : of.memories) {
      const std::string type = type_of(m.dtype) + "*";
      parameters += c10::str(parameter == 0 ? "" : ", ", type, " p", parameter);
      arguments += is_device ? c10::str(", p", parameter) : c10::str(", (", type, ")addresses[", parameter, "]");
      ++parameter;
    }
    const unsigned end = block + blocks_of_group(of);
    calls += is_device ? c10::str("  if (blockIdx.x >= ", block, "u && blockIdx.x < ", end, "u) ", name, "((blockIdx.x - ", block, "u) * ",
                                  threads_of_block, "ull + threadIdx.x", arguments, ");\n")
                       : c10::str("  for (unsigned long long t = 0; t < ", uint64_t{end - block} * threads_of_block, "; ++t) ", name, "(t",
                                  arguments, ");\n");
    block = end;
  }
  const std::string head = is_device
                               ? c10::str("__global__ void __launch_bounds__(", threads_of_block, ") ", launch.name, "(", parameters, ")")
                               : "void " + launch.name + "(void** addresses)";
  return c10::str(functions, "extern \"C\" ", head, " {\n", calls, "}\n");
}

}  // namespace

unsigned blocks_of(const kernel& launch) {
  unsigned blocks = 0;
  for (const group& g : launch.groups) {
    blocks += blocks_of_group(g);
  }
  return blocks;
}

std::string program_source(c10::ArrayRef<kernel> kernels, target where) {
  std::string text(where == target::device ? device_prelude() : host_prelude());
  text += common_prelude();
  std::set<const formula*> written;
  for (const kernel& launch : kernels) {
    for (const group& g : launch.groups) {
      for (const step& s : g.steps) {
        text += written.insert(s.of).second ? function_text(*s.of) : "";
      }
    }
  }
  for (const kernel& launch : kernels) {
    text += kernel_text(launch, where);
  }
  return text + "}  // namespace fused\n";
}

}  // namespace graphed::impl::fusion
