// SPDX-License-Identifier: Apache-2.0
#include "backend/tape/operators.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <optional>

namespace graphed {
namespace {

bool aliases_any(const at::Tensor& result, const std::vector<c10::IValue>& arguments) {
  return result.defined() && std::any_of(arguments.begin(), arguments.end(), [&](const c10::IValue& argument) {
           return argument.isTensor() && argument.toTensor().defined() && argument.toTensor().has_storage() &&
                  result.is_alias_of(argument.toTensor());
         });
}

bool has_mask(const c10::IValue& indices) {
  if (!indices.isOptionalTensorList()) {
    return false;
  }
  const auto list = indices.toOptionalTensorVector();
  return std::any_of(list.begin(), list.end(), [](const std::optional<at::Tensor>& index) {
    return index && index->defined() && (index->scalar_type() == at::kBool || index->scalar_type() == at::kByte);
  });
}

}  // namespace

const char* refusal(const operator_call& call) {
  if (call.below.leaves_cpu()) {
    return "works on another device than the CPU";
  }
  if (call.has(trait::reads_value)) {
    return "reads a tensor's value on the host";
  }
  if (call.has(trait::reads_error)) {
    return "reads an error code on the host";
  }
  if (call.has(trait::shaped_by_mask)) {
    return has_mask(call.arguments[1]) ? "has a shape that depends on a mask's values" : nullptr;
  }
  if (call.op.hasTag(at::Tag::dynamic_output_shape) || call.has(trait::shaped_by_values)) {
    return "has a result whose shape depends on values";
  }
  return nullptr;
}

bool overwrites_storage(const operator_call& call) {
  if (!call.has(trait::fills)) {
    return false;
  }
  const at::Tensor& written = call.arguments[0].toTensor();
  return written.has_storage() && written.is_non_overlapping_and_dense() && written.nbytes() == written.storage().nbytes() &&
         !aliases_any(written, call.arguments.slice(1).vec());
}

bool is_view(const c10::IValue& result, const std::vector<c10::IValue>& arguments) {
  if (result.isTensor()) {
    return aliases_any(result.toTensor(), arguments);
  }
  const auto list = result.toTensorVector();
  return std::all_of(list.begin(), list.end(), [&](const at::Tensor& tensor) { return aliases_any(tensor, arguments); });
}

}  // namespace graphed
