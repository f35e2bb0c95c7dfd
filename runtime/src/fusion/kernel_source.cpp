// SPDX-License-Identifier: Apache-2.0
#include "fusion/kernel_source.h"

#include "fusion/prelude.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>

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

/// Writes the function of one group, which computes the elements of one thread.
class group_writer {
 public:
  group_writer(const group& of, std::string name) : group_(of), name_(std::move(name)), width_(width_of(of)) {}

  static int width_of(const group& of) {
    if (of.sizes.empty() || of.sizes.back() % 4 != 0) {
      return 1;
    }
    const auto allows = [&](const memory& m) {
      const auto is_whole = [](int64_t stride) { return stride % 4 == 0; };
      return m.strides.back() == 0 ||
             (m.strides.back() == 1 && m.is_aligned && std::all_of(m.strides.begin(), m.strides.end() - 1, is_whole));
    };
    return std::all_of(of.memories.begin(), of.memories.end(), allows) ? 4 : 1;
  }
  static int64_t elements_of(const group& of) {
    int64_t elements = 1;
    for (const int64_t size : of.sizes) {
      elements *= size;
    }
    return elements;
  }

  std::string write() {
    line("FUSED void " + name_ + "(" + index_type() + " thread" + parameters() + ") {");
    line("  " + index_type() + " i = thread * " + std::to_string(width_) + ";");
    line("  if (i >= " + std::to_string(elements_of(group_)) + ") return;");
    offsets();
    loads();
    for (const store& s : group_.stores) {
      line("  elements<" + type_of(group_.memories[s.memory].dtype) + ", " + std::to_string(width_) + "> s" + std::to_string(s.memory) +
           ";");
    }
    line("#pragma unroll");
    line("  for (int e = 0; e < " + std::to_string(width_) + "; ++e) {");
    for (std::size_t i = 0; i < group_.steps.size(); ++i) {
      step_line(i);
    }
    for (const store& s : group_.stores) {
      line("    s" + std::to_string(s.memory) + ".at[e] = v" + std::to_string(s.step) + ";");
    }
    line("  }");
    for (const store& s : group_.stores) {
      line("  " + place(s.memory, width_) + " = s" + std::to_string(s.memory) + ";");
    }
    line("}");
    return text_;
  }

  std::string parameters() const {
    std::string list;
    for (std::size_t m = 0; m < group_.memories.size(); ++m) {
      list += ", " + type_of(group_.memories[m].dtype) + "* m" + std::to_string(m);
    }
    return list;
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  std::string index_type() const {
    int64_t largest = elements_of(group_) + int64_t{4} * threads_of_block;
    for (const memory& m : group_.memories) {
      int64_t end = 0;
      for (std::size_t d = 0; d < group_.sizes.size(); ++d) {
        end += (group_.sizes[d] - 1) * m.strides[d];
      }
      largest = std::max(largest, end);
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
  bool is_one_element(const memory& m) const {
    return std::all_of(m.strides.begin(), m.strides.end(), [](int64_t s) { return s == 0; });
  }

  /// i0, i1 ... of the first element, where an operand needs more than its number.
  void offsets() {
    const auto is_simple = [&](const memory& m) { return is_row_major(m) || is_one_element(m); };
    if (std::all_of(group_.memories.begin(), group_.memories.end(), is_simple)) {
      return;
    }
    std::string rest = "i";
    for (std::size_t d = group_.sizes.size(); d-- > 0;) {
      const std::string size = std::to_string(group_.sizes[d]);
      line("  const " + index_type() + " i" + std::to_string(d) + " = " + (d == 0 ? rest : rest + " % " + size) + ";");
      rest = "(" + rest + " / " + size + ")";
    }
  }
  std::string offset(const memory& m) const {
    if (is_row_major(m)) {
      return "i";
    }
    std::string sum;
    for (std::size_t d = 0; d < group_.sizes.size(); ++d) {
      if (m.strides[d] != 0 && group_.sizes[d] != 1) {
        sum += (sum.empty() ? "i" : " + i") + std::to_string(d) + (m.strides[d] == 1 ? "" : " * " + std::to_string(m.strides[d]));
      }
    }
    return sum.empty() ? "0" : sum;
  }
  std::string place(std::size_t index, int width) const {
    const memory& m = group_.memories[index];
    return "*(elements<" + type_of(m.dtype) + ", " + std::to_string(width) + ">*)(m" + std::to_string(index) + " + (" + offset(m) + "))";
  }
  int width_of_load(const memory& m) const { return width_ > 1 && m.strides.back() == 1 ? width_ : 1; }

  void loads() {
    std::set<std::size_t> read;
    for (const step& s : group_.steps) {
      for (const operand& o : s.operands) {
        if (o.from == operand::source::memory) {
          read.insert(o.index);
        }
      }
    }
    for (const std::size_t m : read) {
      line("  const auto l" + std::to_string(m) + " = " + place(m, width_of_load(group_.memories[m])) + ";");
    }
  }

  at::ScalarType dtype_of(const operand& o) const {
    return o.from == operand::source::memory ? group_.memories[o.index].dtype : group_.steps[o.index].dtype;
  }
  std::string value(const operand& o) const {
    if (o.from == operand::source::step) {
      return "v" + std::to_string(o.index);
    }
    return "l" + std::to_string(o.index) + (width_of_load(group_.memories[o.index]) > 1 ? ".at[e]" : ".at[0]");
  }
  static std::string converted(const std::string& text, at::ScalarType from, at::ScalarType to) {
    return from == to ? text : "to<" + type_of(to) + ">::from(" + text + ")";
  }
  std::string argument(const step& s, const operand& o, char letter) const {
    const at::ScalarType type = computed_type(*s.of, s.computes_in);
    if (o.from == operand::source::number) {
      return literal(o.number, letter == 'd' ? at::kDouble : type);
    }
    if (letter == 'c') {
      return converted(value(o), dtype_of(o), at::kBool);
    }
    return converted(converted(value(o), dtype_of(o), s.computes_in), s.computes_in, type);
  }
  void step_line(std::size_t index) {
    const step& s = group_.steps[index];
    const at::ScalarType type = computed_type(*s.of, s.computes_in);
    const std::string letters = operand_letters(*s.of);
    TORCH_INTERNAL_ASSERT(letters.size() == s.operands.size(), "graphed: ", s.of->name, " has ", s.operands.size(), " operands");
    std::string call = function_name(*s.of) + "<" + type_of(type) + ">(";
    for (std::size_t i = 0; i < letters.size(); ++i) {
      call += (i == 0 ? "" : ", ") + argument(s, s.operands[i], letters[i]);
    }
    call += ")";
    const at::ScalarType common = s.of->is_boolean ? at::kBool : s.computes_in;
    call = converted(converted(call, s.of->is_boolean ? at::kBool : type, common), common, s.dtype);
    line("    const " + type_of(s.dtype) + " v" + std::to_string(index) + " = " + call + ";");
  }

  const group& group_;
  std::string name_;
  int width_;
  std::string text_;
};

unsigned blocks_of_group(const group& of) {
  const int64_t elements = int64_t{group_writer::width_of(of)} * threads_of_block;
  return static_cast<unsigned>((group_writer::elements_of(of) + elements - 1) / elements);
}

std::string parameter_list(const kernel& launch) {
  std::string list;
  std::size_t index = 0;
  for (const group& g : launch.groups) {
    for (const memory& m : g.memories) {
      list += std::string(index == 0 ? "" : ", ") + type_of(m.dtype) + "* p" + std::to_string(index);
      ++index;
    }
  }
  return list;
}

/// The call of one group's function, with the parameters of the kernel from `first`.
std::string group_call(const std::string& name, const group& of, const std::string& thread, std::size_t first, target where) {
  std::string call = name + "(" + thread;
  for (std::size_t m = 0; m < of.memories.size(); ++m) {
    const std::string index = std::to_string(first + m);
    call += where == target::device ? ", p" + index : ", (" + type_of(of.memories[m].dtype) + "*)addresses[" + index + "]";
  }
  return call + ");\n";
}

std::string kernel_text(const kernel& launch, target where) {
  std::string text;
  const std::string threads = std::to_string(threads_of_block);
  std::string body;
  std::size_t parameter = 0;
  unsigned block = 0;
  for (std::size_t g = 0; g < launch.groups.size(); ++g) {
    const std::string name = launch.name + "_" + std::to_string(g);
    const group& of = launch.groups[g];
    text += group_writer(of, name).write();
    const unsigned blocks = blocks_of_group(of);
    if (where == target::host) {
      body += "  for (unsigned long long thread = 0; thread < " + std::to_string(uint64_t{blocks} * threads_of_block) + "; ++thread) " +
              group_call(name, of, "thread", parameter, where);
    } else {
      const std::string first = std::to_string(block);
      const std::string thread = "(blockIdx.x - " + first + "u) * " + threads + "ull + threadIdx.x";
      const bool is_last = g + 1 == launch.groups.size();
      body += (is_last ? "  " : "  if (blockIdx.x < " + std::to_string(block + blocks) + ") return ") +
              group_call(name, of, thread, parameter, where);
    }
    block += blocks;
    parameter += of.memories.size();
  }
  const std::string head = where == target::device
                               ? "__global__ void __launch_bounds__(" + threads + ") " + launch.name + "(" + parameter_list(launch) + ")"
                               : "void " + launch.name + "(void** addresses)";
  return text + "extern \"C\" " + head + " {\n" + body + "}\n";
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
