// SPDX-License-Identifier: Apache-2.0
#include "fusion/proof.h"

#include "fusion/compiler.h"
#include "fusion/kernel_cache.h"
#include "fusion/kernel_source.h"
#include "fusion/program.h"
#include "fusion/proof_values.h"
#include "torch/libtorch_version.h"

#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

namespace graphed::impl::fusion {

namespace {

bool is_operand(char letter) { return std::string_view("ecxndlh").find(letter) != std::string_view::npos; }

c10::OperatorHandle operator_of(const formula& of) {
  const std::string_view overloads = of.overloads;
  return c10::Dispatcher::singleton().findSchemaOrThrow(of.name, std::string(overloads.substr(0, overloads.find(' '))).c_str());
}

/// Values on the current GPU, which claims share.
class shared_values {
 public:
  const at::Tensor& get(at::ScalarType dtype, unsigned place) {
    at::Tensor& values = made_[{dtype, place}];
    return values.defined() ? values : values = proof_values(dtype, place).to(at::kCUDA);
  }

 private:
  std::map<std::pair<at::ScalarType, unsigned>, at::Tensor> made_;
};

/// The arguments of LibTorch's operator for one run.
class call_writer {
 public:
  call_writer(const claim& of, std::size_t run, shared_values& values) : claim_(of), run_(run), values_(values) {}

  c10::Stack write(const c10::FunctionSchema& schema) {
    const std::string_view letters = claim_.of->arguments;
    c10::Stack arguments;
    for (const c10::Argument& argument : schema.arguments()) {
      const std::size_t i = arguments.size();
      arguments.push_back(value(i < letters.size() ? letters[i] : '-', argument));
    }
    return arguments;
  }

 private:
  c10::IValue value(char letter, const c10::Argument& argument) {
    const auto kind = argument.real_type()->kind();
    const bool is_tensor = kind == c10::TypeKind::TensorType;
    const unsigned place = place_;
    place_ += is_operand(letter) || letter == 's' || letter == 'r' || letter == 'R' ? 1 : 0;
    if (is_operand(letter)) {
      const at::ScalarType dtype = claim_.operands.at(place);
      return dtype == at::ScalarType::Undefined ? number(kind, place) : c10::IValue(values_.get(dtype, place));
    }
    switch (letter) {
      case 's':
        return run_ % 2 == 0 ? "none" : "tanh";
      case 'r':
      case 'R':
        return static_cast<int64_t>(run_ % 3);
      case 'z':
        return int64_t{0};
      case '=':
        return values_.get(claim_.computes_in, 0);
      case 't':
        return static_cast<int64_t>(claim_.computes_in);
      default:
        return is_tensor                         ? c10::IValue(at::empty({0}, at::TensorOptions(at::kCUDA)))
               : kind == c10::TypeKind::BoolType ? c10::IValue(false)
                                                 : argument.default_value().value_or(c10::IValue());
    }
  }
  c10::IValue number(c10::TypeKind kind, unsigned place) const {
    const c10::Scalar number = proof_number(*claim_.of, claim_.computes_in, run_, place);
    switch (kind) {
      case c10::TypeKind::TensorType: {
        at::Tensor wrapped = at::scalar_tensor(number, at::TensorOptions(number.type()));
        wrapped.unsafeGetTensorImpl()->set_wrapped_number(true);
        return wrapped;
      }
      case c10::TypeKind::FloatType:
        return number.toDouble();
      case c10::TypeKind::IntType:
        return number.toLong();
      case c10::TypeKind::BoolType:
        return number.toDouble() > 0.5;
      default:
        return number;
    }
  }

  const claim& claim_;
  std::size_t run_;
  shared_values& values_;
  unsigned place_ = 0;
};

/// One run of an operator, and the group of it alone.
struct trial {
  std::size_t of;  // the claim
  std::vector<at::Tensor> operands;
  at::Tensor expected;
  kernel launch;
};

group group_of(const formula& of, const formula_use& use, const c10::Stack& arguments, std::vector<at::Tensor>& operands) {
  group made;
  made.sizes = {proof_elements};
  step computed{&of, {}, use.computes_in, of.is_boolean ? at::kBool : use.computes_in};
  for (const formula_use::operand& o : use.operands) {
    if (o.number) {
      computed.operands.push_back(operand::of_number(*o.number));
      continue;
    }
    operands.push_back(arguments[o.argument].toTensor());
    computed.operands.push_back(operand::of_memory(made.memories.size()));
    made.memories.push_back({operands.back().scalar_type(), {1}});
  }
  made.stores.push_back({0, made.memories.size()});
  made.memories.push_back({computed.dtype, {1}});
  made.steps.push_back(std::move(computed));
  return made;
}

/// Runs LibTorch's operator for all numbers that it takes.
std::vector<trial> trials_of(const claim& what, std::size_t index, shared_values& values, std::string& failure) {
  const c10::OperatorHandle op = operator_of(*what.of);
  std::vector<trial> trials;
  for (std::size_t run = 0; run < proof_runs(*what.of); ++run) {
    const c10::Stack arguments = call_writer(what, run, values).write(op.schema());
    const auto use = find_formula(op.operator_name(), arguments, proof_elements);
    if (!use || use->operands.size() != what.operands.size() || use->computes_in != what.computes_in) {
      failure = "LibTorch computes it in another dtype";
      return {};
    }
    try {
      c10::Stack stack = arguments;
      op.callBoxed(&stack);
      trial made{index, {}, stack.at(0).toTensor().contiguous(), {}};
      made.launch.groups.push_back(group_of(*what.of, *use, arguments, made.operands));
      trials.push_back(std::move(made));
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const c10::Error& error) {
      failure = error.what_without_backtrace();  // such numbers: others may do
    }
  }
  failure = trials.empty() ? failure : "";
  return trials;
}

at::Tensor bits_of(const at::Tensor& values) {
  const std::size_t size = values.element_size();
  return values.view(size == 8 ? at::kLong : size == 4 ? at::kInt : size == 2 ? at::kShort : at::kByte);
}

/// Empty where all bits are the same.
std::string difference(const at::Tensor& expected, const at::Tensor& got, const std::vector<at::Tensor>& operands) {
  if (expected.scalar_type() != got.scalar_type()) {
    return std::string("the result is of ") + c10::toString(expected.scalar_type());
  }
  const at::Tensor differs = bits_of(expected).ne(bits_of(got));
  const auto count = differs.sum().item<int64_t>();
  if (count == 0) {
    return "";
  }
  const at::Tensor is_number = differs.logical_and(expected.isnan().logical_and(got.isnan()).logical_not());
  const auto numbers = is_number.sum().item<int64_t>();
  const auto first = (numbers > 0 ? is_number : differs).nonzero()[0].item<int64_t>();
  std::ostringstream text;
  text.precision(17);
  text << count << " of " << differs.numel() << " values differ, " << count - numbers << " of them only in the bits of a NaN: for";
  const auto write = [&](const at::Tensor& values) { text << " " << values[first].to(at::kDouble).item<double>(); };
  std::for_each(operands.begin(), operands.end(), write);
  text << " it is";
  write(expected);
  text << ", and the formula gives";
  write(got);
  return text.str();
}

std::string run(const program& made, std::size_t index, const trial& of) {
  const at::Tensor got = at::empty_like(of.expected, at::TensorOptions(of.launch.groups[0].memories.back().dtype));
  std::vector<void*> addresses;
  for (const at::Tensor& operand : of.operands) {
    addresses.push_back(operand.data_ptr());
  }
  addresses.push_back(got.data_ptr());
  made.launch(index, blocks_of(of.launch), addresses, at::cuda::getCurrentCUDAStream());
  return difference(of.expected, got, of.operands);
}

/// Whether it fails for the same source again.
bool is_of_the_compiler(const std::string& failure) { return failure.find("NVRTC failed") == 0; }

/// Of claims that one program is made for.
std::vector<std::string> examine(c10::ArrayRef<claim> claims) {
  std::vector<std::string> failures(claims.size());
  std::vector<trial> trials;
  shared_values values;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (trial& t : trials_of(claims[i], i, values, failures[i])) {
      t.launch.name = "proof_" + std::to_string(trials.size());
      trials.push_back(std::move(t));
    }
  }
  std::vector<kernel> kernels;
  for (const trial& t : trials) {
    kernels.push_back(t.launch);
  }
  std::string why_not;
  const auto made = trials.empty() ? nullptr : program::make(kernels, why_not);
  if (!trials.empty() && made == nullptr && !is_of_the_compiler(why_not)) {
    throw std::runtime_error(why_not);
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::string& failure = failures[trials[i].of];
    failure = !failure.empty() ? failure : made == nullptr ? why_not : run(*made, i, trials[i]);
  }
  return failures;
}

std::string key_of(const claim& what) {
  const auto& gpu = *at::cuda::getCurrentDeviceProperties();
  return std::string("proof ") + gpu.name + " " + current_architecture() + " LibTorch " + libtorch_version + " NVRTC " +
         compiler_version() + "\n" + what.text() + "\n" + what.of->body + "\n" + program_source({});
}

struct outcomes {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, bool> known;  // by GPU and claim

  static outcomes& get() {
    static auto& made = *new outcomes;
    return made;
  }
};

std::pair<std::string, std::string> place_of(const claim& what) { return {at::cuda::getCurrentDeviceProperties()->name, what.text()}; }

void remember(const claim& what, bool holds) {
  const std::lock_guard lock(outcomes::get().mutex);
  outcomes::get().known[place_of(what)] = holds;
}

}  // namespace

std::string claim::text() const {
  std::string text = std::string(of->name) + "." + of->arguments + "(";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    text += std::string(i == 0 ? "" : ", ") + (operands[i] == at::ScalarType::Undefined ? "number" : c10::toString(operands[i]));
  }
  return text + ") in " + c10::toString(computes_in);
}

std::vector<claim> claims_of(const group& of) {
  const auto conversion = std::find_if(formula_rows().begin(), formula_rows().end(),
                                       [](const formula& row) { return std::string_view(row.name) == "aten::_to_copy"; });
  std::vector<claim> claims;
  for (const step& s : of.steps) {
    claim made{s.of, {}, s.computes_in};
    for (const operand& o : s.operands) {
      made.operands.push_back(o.from == operand::source::number   ? at::ScalarType::Undefined
                              : o.from == operand::source::memory ? of.memories[o.index].dtype
                                                                  : of.steps[o.index].dtype);
    }
    claims.push_back(std::move(made));
    const at::ScalarType result = s.of->is_boolean ? at::kBool : s.computes_in;
    if (result != s.dtype) {
      claims.push_back({conversion, {result}, s.dtype});
    }
  }
  return claims;
}

std::optional<bool> is_proven(const claim& what) {
  {
    const std::lock_guard lock(outcomes::get().mutex);
    const auto found = outcomes::get().known.find(place_of(what));
    if (found != outcomes::get().known.end()) {
      return found->second;
    }
  }
  const auto kept = kernel_cache::get().find(key_of(what));
  if (!kept) {
    return std::nullopt;
  }
  remember(what, *kept == "holds");
  return *kept == "holds";
}

std::vector<std::string> failures_of(c10::ArrayRef<claim> claims) {
  std::vector<std::string> failures;
  std::exception_ptr thrown;
  const c10::DeviceIndex device = c10::cuda::current_device();
  std::thread examiner([&] {
    try {
      const at::NoGradGuard no_gradients;
      const c10::cuda::CUDAGuard guard(device);
      const c10::cuda::CUDAStreamGuard stream(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device));
      cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
      C10_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
      failures = examine(claims);
      for (std::size_t i = 0; claims.size() > 1 && i < claims.size(); ++i) {
        failures[i] = is_of_the_compiler(failures[i]) ? examine(claims.slice(i, 1))[0] : failures[i];
      }
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  examiner.join();
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  return failures;
}

std::vector<std::string> prove(c10::ArrayRef<claim> claims) {
  std::map<std::string, claim> open;
  for (const claim& c : claims) {
    if (!is_proven(c)) {
      open.emplace(c.text(), c);
    }
  }
  std::vector<claim> examined;
  std::transform(open.begin(), open.end(), std::back_inserter(examined), [](const auto& entry) { return entry.second; });
  std::vector<std::string> lines;
  try {
    const std::vector<std::string> failures = examined.empty() ? std::vector<std::string>{} : failures_of(examined);
    for (std::size_t i = 0; i < examined.size(); ++i) {
      remember(examined[i], failures[i].empty());
      kernel_cache::get().keep(key_of(examined[i]), failures[i].empty() ? "holds" : failures[i]);
      if (!failures[i].empty()) {
        lines.push_back(examined[i].text() + " is not fused: " + failures[i]);
      }
    }
  } catch (const std::exception& error) {
    lines.push_back(std::string("formulas were not compared with LibTorch: ") + error.what());
  }
  return lines;
}

}  // namespace graphed::impl::fusion
