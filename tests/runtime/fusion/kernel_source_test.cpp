// SPDX-License-Identifier: Apache-2.0
//
// What is emitted, compiled by the host's compiler and run: operators whose arithmetic is exact on any machine have LibTorch's bits.
#include "fusion/kernel_source.h"
#include "fusion/one_operator.h"
#include "fusion/proof_values.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace kernel_source_test {

using namespace graphed::impl::fusion;
using namespace graphed::testing;

/// Programs that the host's compiler made, in a folder of their own.
class host_program {
 public:
  explicit host_program(const std::vector<kernel>& kernels) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    std::ofstream(folder_ + "/fused.cpp") << program_source(kernels, target::host);
    const std::string command = std::string(GRAPHED_TEST_COMPILER) + " -std=c++17 -O1 -w -ffp-contract=off -shared -fPIC -o " + folder_ +
                                "/fused.so " + folder_ + "/fused.cpp";
    compiles_ = std::system(command.c_str()) == 0;
    library_ = compiles_ ? dlopen((folder_ + "/fused.so").c_str(), RTLD_NOW) : nullptr;
  }
  ~host_program() { std::filesystem::remove_all(folder_); }
  bool compiles() const { return library_ != nullptr; }
  void run(const std::string& name, std::vector<at::Tensor> memories) const {
    std::vector<void*> addresses;
    for (const at::Tensor& memory : memories) {
      addresses.push_back(memory.data_ptr());
    }
    reinterpret_cast<void (*)(void**)>(dlsym(library_, name.c_str()))(addresses.data());
  }

 private:
  std::string folder_ = ::testing::TempDir() + "kernel_source_XXXXXX";
  bool compiles_ = false;
  void* library_ = nullptr;
};

/// Bits, but for those of NaNs, which a processor takes from either operand.
void expect_same(const at::Tensor& got, const at::Tensor& expected, const std::string& what) {
  ASSERT_EQ(got.scalar_type(), expected.scalar_type()) << what;
  const at::Tensor a = got.contiguous();
  const at::Tensor b = expected.contiguous();
  const std::size_t size = a.element_size();
  for (int64_t i = 0; i < a.numel(); ++i) {
    const auto at_index = [&](const at::Tensor& t) { return static_cast<const char*>(t.const_data_ptr()) + i * size; };
    if (std::memcmp(at_index(a), at_index(b), size) != 0) {
      const at::Tensor left = a.flatten()[i];
      const at::Tensor right = b.flatten()[i];
      ASSERT_TRUE(a.is_floating_point() && left.isnan().item<bool>() && right.isnan().item<bool>())
          << what << ": element " << i << " is " << left.item() << " instead of " << right.item();
    }
  }
}

/// They need the compiler that they were built with, which a machine that only runs them may lack.
class KernelSource : public ::testing::Test {
 protected:
  void SetUp() override {
    if (access(GRAPHED_TEST_COMPILER, X_OK) != 0) {
      GTEST_SKIP() << "there is no " << GRAPHED_TEST_COMPILER;
    }
  }
};

const formula& row_of(std::string_view name) {
  for (const formula& row : formula_rows()) {
    if (row.name == name) {
      return row;
    }
  }
  throw std::invalid_argument(std::string(name));
}

using operation = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

/// What one_operator() computes, with 2 for numbers.
const std::vector<std::pair<const char*, operation>>& exact_operations() {
  static const std::vector<std::pair<const char*, operation>> all{
      {"aten::mul", [](const auto& t) { return t[0].mul(t[1]); }},
      {"aten::maximum", [](const auto& t) { return at::maximum(t[0], t[1]); }},
      {"aten::minimum", [](const auto& t) { return at::minimum(t[0], t[1]); }},
      {"aten::eq", [](const auto& t) { return t[0].eq(t[1]); }},
      {"aten::ne", [](const auto& t) { return t[0].ne(t[1]); }},
      {"aten::lt", [](const auto& t) { return t[0].lt(t[1]); }},
      {"aten::le", [](const auto& t) { return t[0].le(t[1]); }},
      {"aten::gt", [](const auto& t) { return t[0].gt(t[1]); }},
      {"aten::ge", [](const auto& t) { return t[0].ge(t[1]); }},
      {"aten::logical_and", [](const auto& t) { return t[0].logical_and(t[1]); }},
      {"aten::logical_xor", [](const auto& t) { return t[0].logical_xor(t[1]); }},
      {"aten::logical_not", [](const auto& t) { return t[0].logical_not(); }},
      {"aten::bitwise_xor", [](const auto& t) { return t[0].bitwise_xor(t[1]); }},
      {"aten::bitwise_not", [](const auto& t) { return t[0].bitwise_not(); }},
      {"aten::where", [](const auto& t) { return at::where(t[0], t[1], t[2]); }},
      {"aten::masked_fill", [](const auto& t) { return t[0].masked_fill(t[1], 2); }},
      {"aten::clamp_min", [](const auto& t) { return t[0].clamp_min(2); }},
      {"aten::relu", [](const auto& t) { return t[0].relu(); }},
      {"aten::clone", [](const auto& t) { return t[0].clone(); }},
      {"aten::fill", [](const auto& /*t*/) { return at::Tensor(); }},
      {"aten::neg", [](const auto& t) { return t[0].neg(); }},
      {"aten::abs", [](const auto& t) { return t[0].abs(); }},
      {"aten::floor", [](const auto& t) { return t[0].floor(); }},
      {"aten::threshold", [](const auto& t) { return at::threshold(t[0], 2, 2); }},
      {"aten::threshold_backward", [](const auto& t) { return at::threshold_backward(t[0], t[1], 2); }},
  };
  return all;
}

/// Whether a processor may return either of two zeros.
bool is_of_zeros_sign(const std::string& name) {
  return name == "aten::maximum" || name == "aten::minimum" || name == "aten::relu" || name == "aten::clamp_min";
}

TEST_F(KernelSource, ExactOperatorsHaveTheBitsOfLibTorchOnTheHost) {
  std::vector<kernel> kernels;
  std::vector<std::tuple<std::string, at::ScalarType, operation>> cases;
  for (const at::ScalarType dtype : fused_dtypes()) {
    for (const auto& [name, run] : exact_operations()) {
      const formula& row = row_of(name);
      if (holds_for(row, dtype) && !(is_of_zeros_sign(name) && at::isFloatingType(dtype))) {
        kernels.push_back(one_operator(row, dtype, proof_elements, "fused_" + std::to_string(kernels.size())));
        cases.emplace_back(name, dtype, run);
      }
    }
  }
  const host_program program(kernels);
  ASSERT_TRUE(program.compiles());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto& [name, dtype, run] = cases[i];
    std::vector<at::Tensor> memories;
    const auto& described = kernels[i].groups[0].memories;
    for (std::size_t m = 0; m + 1 < described.size(); ++m) {
      memories.push_back(proof_values(described[m].dtype, static_cast<unsigned>(m)));
    }
    const at::Tensor expected = name == "aten::fill" ? at::full({proof_elements}, 2, at::TensorOptions(dtype)) : run(memories);
    const at::Tensor got = at::empty({proof_elements}, at::TensorOptions(described.back().dtype));
    memories.push_back(got);
    program.run(kernels[i].name, memories);
    expect_same(got, expected, name + " of " + c10::toString(dtype));
  }
}

TEST_F(KernelSource, ConvertsAsLibTorchDoes) {
  std::vector<kernel> kernels;
  const formula& row = row_of("aten::_to_copy");
  const auto is_defined = [](at::ScalarType from,
                             at::ScalarType to) {  // a number too large for an integer is a different one on each processor
    return !(at::isFloatingType(from) && at::isIntegralType(to, false));
  };
  for (const at::ScalarType from : fused_dtypes()) {
    for (const at::ScalarType to : fused_dtypes()) {
      kernel made = one_operator(row, to, proof_elements, "fused_" + std::to_string(kernels.size()));
      made.groups[0].memories[0].dtype = from;
      kernels.push_back(std::move(made));
    }
  }
  const host_program program(kernels);
  ASSERT_TRUE(program.compiles());
  for (const kernel& k : kernels) {
    const auto& memories = k.groups[0].memories;
    if (is_defined(memories[0].dtype, memories[1].dtype)) {
      const at::Tensor values = proof_values(memories[0].dtype, 0);
      const at::Tensor got = at::empty({proof_elements}, at::TensorOptions(memories[1].dtype));
      program.run(k.name, {values, got});
      expect_same(got, values.to(memories[1].dtype),
                  std::string(c10::toString(memories[0].dtype)) + " to " + c10::toString(memories[1].dtype));
    }
  }
}

step step_of(const char* name, std::vector<operand> operands, at::ScalarType dtype) {
  const formula& row = row_of(name);
  return {&row, std::move(operands), dtype, row.is_boolean ? at::kBool : dtype};
}

/// where(x * b > 0.5, x, -b) of a matrix and a row; the product is stored, too. Transposed operands take no vectors.
group chain(int64_t columns, bool is_transposed) {
  group made;
  made.sizes = {6, columns};
  const std::vector<int64_t> rows = is_transposed ? std::vector<int64_t>{1, 6} : std::vector<int64_t>{columns, 1};
  made.memories = {{at::kFloat, rows}, {at::kFloat, {0, 1}}, {at::kFloat, {columns, 1}}, {at::kFloat, {columns, 1}}};
  made.steps = {step_of("aten::mul", {operand::of_memory(0), operand::of_memory(1)}, at::kFloat),
                step_of("aten::gt", {operand::of_step(0), operand::of_number(0.5)}, at::kFloat),
                step_of("aten::neg", {operand::of_memory(1)}, at::kFloat),
                step_of("aten::where", {operand::of_step(1), operand::of_memory(0), operand::of_step(2)}, at::kFloat)};
  made.stores = {{0, 2}, {3, 3}};
  return made;
}

struct chain_memory {
  explicit chain_memory(int64_t columns, bool is_transposed)
      : x(is_transposed ? at::randn({columns, 6}).t() : at::randn({6, columns})), row(at::randn({columns})) {}
  std::vector<at::Tensor> all() const { return {x, row, product, result}; }
  void expect() const {
    expect_same(product, x.mul(row).contiguous(), "product");
    expect_same(result, at::where(x.mul(row).gt(0.5), x, row.neg()).contiguous(), "result");
  }

  at::Tensor x;
  at::Tensor row;
  at::Tensor product = at::empty(x.sizes());
  at::Tensor result = at::empty(x.sizes());
};

TEST_F(KernelSource, ValuesPassBetweenOperatorsOfBroadcastAndStridedOperands) {
  std::vector<kernel> kernels;
  std::vector<chain_memory> memories;
  for (const int64_t columns : {8, 9, 200}) {
    for (const bool is_transposed : {false, true}) {
      kernels.push_back({"fused_" + std::to_string(kernels.size()), {chain(columns, is_transposed)}});
      memories.emplace_back(columns, is_transposed);
    }
  }
  const host_program program(kernels);
  ASSERT_TRUE(program.compiles());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    program.run(kernels[i].name, memories[i].all());
    memories[i].expect();
  }
}

TEST_F(KernelSource, GroupsOfOneLaunchRunSideBySide) {
  const std::vector<kernel> kernels{{"fused", {chain(8, false), chain(200, true), chain(9, false)}}};
  const std::vector<chain_memory> memories{chain_memory(8, false), chain_memory(200, true), chain_memory(9, false)};
  EXPECT_EQ(blocks_of(kernels[0]), 1u + (6 * 200 + 127) / 128 + 1);
  const host_program program(kernels);
  ASSERT_TRUE(program.compiles());
  std::vector<at::Tensor> all;
  for (const chain_memory& m : memories) {
    const auto own = m.all();
    all.insert(all.end(), own.begin(), own.end());
  }
  program.run("fused", all);
  for (const chain_memory& m : memories) {
    m.expect();
  }
}

TEST_F(KernelSource, WritesWhatItReads) {
  group in_place;
  in_place.sizes = {1000};
  in_place.memories = {{at::kFloat, {1}}};
  in_place.steps = {step_of("aten::mul", {operand::of_memory(0), operand::of_memory(0)}, at::kFloat),
                    step_of("aten::neg", {operand::of_step(0)}, at::kFloat)};
  in_place.stores = {{0, 0}, {1, 0}};  // the last one stays
  const host_program program({{"fused", {in_place}}});
  ASSERT_TRUE(program.compiles());
  const at::Tensor x = at::randn({1000});
  const at::Tensor expected = x.mul(x).neg();
  program.run("fused", {x});
  expect_same(x, expected, "in place");
}

TEST_F(KernelSource, ReadsNumbersAsTheDtypeRoundsThem) {
  const std::vector<double> numbers{0, -0.0, 1, 0.1, -1.5, 3e38, 1e-45, 1e-310, INFINITY, -INFINITY, NAN};
  std::vector<kernel> kernels;
  std::vector<at::Tensor> expected;
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    for (const double number : numbers) {
      kernel made = one_operator(row_of("aten::fill"), dtype, 4, "fused_" + std::to_string(kernels.size()));
      made.groups[0].steps[0].operands[0] = operand::of_number(number);
      kernels.push_back(std::move(made));
      expected.push_back(at::scalar_tensor(number, at::kDouble).to(dtype).expand({4}));
    }
  }
  for (const auto& [number, dtype] :
       {std::pair(INT64_MIN, at::kLong), std::pair(INT64_MAX, at::kLong), std::pair(int64_t{INT32_MIN}, at::kInt)}) {
    kernel made = one_operator(row_of("aten::fill"), dtype, 4, "fused_" + std::to_string(kernels.size()));
    made.groups[0].steps[0].operands[0] = operand::of_number(number);
    kernels.push_back(std::move(made));
    expected.push_back(at::full({4}, number, at::TensorOptions(dtype)));
  }
  const host_program program(kernels);
  ASSERT_TRUE(program.compiles());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const at::Tensor got = at::empty({4}, expected[i].options());
    program.run(kernels[i].name, {got});
    expect_same(got, expected[i], kernels[i].name);
  }
}

}  // namespace kernel_source_test
