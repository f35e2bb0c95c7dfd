// SPDX-License-Identifier: Apache-2.0
//
// Shorter ways to do on each replay what an operator did when it was recorded, the same bits into the same memory.
#include "backend/tape/tape.h"
#include "watch/operators.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <string>
#include <utility>

namespace graphed::impl {
namespace {

using arguments = std::vector<c10::IValue>;

std::optional<c10::OperatorHandle> find(const std::string& name, const std::string& overload) {
  return c10::Dispatcher::singleton().findSchema({name, overload});
}

bool is_wrapped_number(const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl()->is_wrapped_number(); }

// In half precision kernels look at the number before it was converted.
bool decides_dtype(const at::Tensor& tensor) {
  return !is_wrapped_number(tensor) && (tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble);
}

bool is_real(at::ScalarType type) { return !at::isComplexType(type); }

// By the conversion that TensorIterator makes, which has no bounds, as Scalar's has.
at::Tensor converted(const at::Tensor& number, at::ScalarType dtype) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  at::Tensor made = number.to(dtype);
  made.unsafeGetTensorImpl()->set_wrapped_number(true);
  return made;
}

bool convert_number(arguments& given) {
  if (given.size() < 2 || !given[0].isTensor() || !given[1].isTensor()) {
    return false;
  }
  for (const std::size_t i : {0, 1}) {
    const at::Tensor& number = given[i].toTensor();
    const at::Tensor& other = given[1 - i].toTensor();
    if (is_wrapped_number(number) && decides_dtype(other) && is_real(number.scalar_type()) && number.scalar_type() != other.scalar_type()) {
      given[i] = converted(number, other.scalar_type());
      return true;
    }
  }
  return false;
}

// Arithmetic with a number wraps it and calls the overload for tensors (BinaryOps.cpp), relu calls clamp_min (Activation.cpp).
bool simplify(std::optional<c10::OperatorHandle>& op, arguments& given) {
  const auto [name, overload] = op->operator_name();
  const trait traits = traits_of(*op);
  if (includes(traits, trait::rectifies)) {
    given.emplace_back(0);
    op = find("aten::clamp_min", "");
    return op.has_value();
  }
  if (!includes(traits, trait::calculates)) {
    return false;
  }
  if (overload == "Tensor") {
    return convert_number(given);
  }
  if (overload != "Scalar" || !decides_dtype(given[0].toTensor()) || !is_real(given[1].toScalar().type())) {
    return false;
  }
  given[1] = converted(c10::scalar_to_tensor(given[1].toScalar()), given[0].toTensor().scalar_type());
  op = find(name, "Tensor");
  return op.has_value();
}

bool takes(const c10::FunctionSchema& out, const c10::FunctionSchema& schema) {
  const auto& wanted = out.arguments();
  const auto& given = schema.arguments();
  const std::size_t results = schema.returns().size();
  const auto is_written = [](const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  };
  return wanted.size() == given.size() + results && out.returns().size() == results &&
         std::equal(given.begin(), given.end(), wanted.begin(),
                    [](const c10::Argument& a, const c10::Argument& b) { return a.name() == b.name() && *a.type() == *b.type(); }) &&
         std::all_of(wanted.end() - static_cast<std::ptrdiff_t>(results), wanted.end(), is_written);
}

std::optional<c10::OperatorHandle> find_out(const c10::OperatorHandle& op) {
  const auto& [name, overload] = op.operator_name();
  if (!is_structured(op) || has_trait(op, trait::resizes_result)) {
    return std::nullopt;
  }
  for (const std::string& candidate :
       {std::string("out"), overload + "_out", std::string("grad_input"), std::string("output"), std::string("IntList_out"),
        overload + "_max", overload + "_min", std::string("values"), std::string("values_stable")}) {
    const auto out = find(name, candidate);
    if (out && takes(out->schema(), op.schema()) && has_cpu_kernel(*out)) {
      return out;
    }
  }
  return std::nullopt;
}

bool is_fresh(const c10::IValue& made) { return made.isTensor() && made.toTensor().defined(); }

}  // namespace

std::optional<direct_call> find_direct_call(const c10::OperatorHandle& op, const dispatch_path& below, const arguments& given,
                                            const std::vector<c10::IValue>& made) {
  if (!below.is_to_cpu_kernel()) {
    return std::nullopt;
  }
  std::optional<c10::OperatorHandle> simple = op;
  arguments simpler = given;
  const bool is_simpler = simplify(simple, simpler);
  if (!simple) {
    return std::nullopt;
  }
  if (made.empty()) {
    return is_simpler ? std::optional(direct_call{*simple, std::move(simpler)}) : std::nullopt;
  }
  if (!std::all_of(made.begin(), made.end(), is_fresh)) {
    return std::nullopt;
  }
  if (has_trait(op, trait::clones)) {  // TensorFactories.cpp, TensorConversions.cpp
    const auto copy = find("aten::copy_", "");
    return copy ? std::optional(direct_call{*copy, {made[0], given[0], /*non_blocking=*/false}}) : std::nullopt;
  }
  const auto out = find_out(*simple);
  if (!out) {
    return std::nullopt;
  }
  simpler.insert(simpler.end(), made.begin(), made.end());
  return direct_call{*out, std::move(simpler)};
}

}  // namespace graphed::impl
