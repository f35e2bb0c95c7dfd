// SPDX-License-Identifier: Apache-2.0
#include "backend/tape/operators.h"

#include "watch/operator_kinds.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <optional>
#include <string_view>

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

const char* refusal(const c10::OperatorHandle& op, const dispatch_path& below, c10::ArrayRef<c10::IValue> arguments) {
  if (below.leaves_cpu()) {
    return "works on another device than the CPU";
  }
  const std::string_view name = op.operator_name().name;
  if (name == "aten::_local_scalar_dense" || name == "aten::equal" || name == "aten::is_nonzero") {
    return "reads a tensor's value on the host";
  }
  if (name == "aten::_linalg_check_errors") {
    return "reads an error code on the host";
  }
  if (name == "aten::index" || name == "aten::index_put_" || name == "aten::_index_put_impl_") {
    return has_mask(arguments[1]) ? "has a shape that depends on a mask's values" : nullptr;
  }
  if (op.hasTag(at::Tag::dynamic_output_shape)) {
    return "has a result whose shape depends on values";
  }
  return nullptr;
}

bool overwrites_storage(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  const std::string_view name = op.operator_name().name;
  if (name != "aten::fill_" && name != "aten::zero_" && name != "aten::copy_" && name != "aten::bernoulli_" && name != "aten::normal_" &&
      name != "aten::uniform_") {
    return false;
  }
  const at::Tensor& written = arguments[0].toTensor();
  return written.has_storage() && written.is_non_overlapping_and_dense() && written.nbytes() == written.storage().nbytes() &&
         !aliases_any(written, arguments.slice(1).vec());
}

bool is_view(const c10::IValue& result, const std::vector<c10::IValue>& arguments) {
  if (result.isTensor()) {
    return aliases_any(result.toTensor(), arguments);
  }
  const auto list = result.toTensorVector();
  return std::all_of(list.begin(), list.end(), [&](const at::Tensor& tensor) { return aliases_any(tensor, arguments); });
}

}  // namespace graphed
