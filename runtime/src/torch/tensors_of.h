// SPDX-License-Identifier: Apache-2.0
//
// The tensors among an operator's arguments and results.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <optional>

namespace graphed::impl {

/// Calls `f` with each tensor of an argument or result, which may be undefined.
template <class F>
void for_each_tensor(const c10::IValue& value, F&& f) {
  if (value.isTensor()) {
    f(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) {
      f(tensor);
    }
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      if (tensor) {
        f(*tensor);
      }
    }
  }
}

/// The same with the storages that the tensors show, if any.
template <class F>
void for_each_storage(const c10::IValue& value, F&& f) {
  for_each_tensor(value, [&](const at::Tensor& tensor) {
    if (tensor.defined() && tensor.has_storage()) {
      f(tensor.storage().unsafeGetStorageImpl());
    }
  });
}

/// An argument or result with what `f` makes of each of its tensors, which may be undefined, in that tensor's place.
template <class F>
c10::IValue with_each_tensor(const c10::IValue& value, F&& f) {
  if (value.isTensor()) {
    return f(value.toTensor());
  }
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) {
      list.push_back(f(tensor));
    }
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const auto& tensor : value.toOptionalTensorVector()) {
      list.push_back(tensor ? std::optional<at::Tensor>(f(*tensor)) : tensor);
    }
    return list;
  }
  return value;
}

}  // namespace graphed::impl
