// SPDX-License-Identifier: Apache-2.0
#include "guards.h"

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <sstream>

namespace graphed {
namespace {

template <class T>
std::string text(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

std::size_t alignment_of(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return static_cast<std::size_t>(address & (~address + 1));
}

std::optional<mismatch> check_counts(const callable_spec& spec, c10::ArrayRef<int64_t> counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == spec.parameters[i].count) {
      continue;
    }
    return mismatch{miss::list_length, spec.parameters[i].name, std::to_string(spec.parameters[i].count) + " tensors",
                    std::to_string(counts[i])};
  }
  return std::nullopt;
}

std::optional<mismatch> check_tensor(const tensor_spec& spec, const at::Tensor& tensor, c10::Device device, std::size_t alignment) {
  const auto differs = [&](miss reason, std::string expected, std::string got) {
    return mismatch{reason, spec.name, std::move(expected), std::move(got)};
  };
  if (!tensor.defined()) {
    return differs(miss::undefined, "a tensor", "an undefined tensor");
  }
  if (tensor.device() != device) {
    return differs(miss::device, device.str(), tensor.device().str());
  }
  if (tensor.layout() != at::kStrided) {
    return differs(miss::strides, "a strided tensor", text(tensor.layout()));
  }
  if (tensor.scalar_type() != spec.dtype) {
    return differs(miss::dtype, c10::toString(spec.dtype), c10::toString(tensor.scalar_type()));
  }
  if (tensor.sizes() != spec.shape) {
    return differs(miss::shape, text(spec.shape), text(tensor.sizes()));
  }
  if (!tensor.is_contiguous()) {
    return differs(miss::strides, "contiguous", "strides " + text(tensor.strides()));
  }
  if (tensor.is_conj() || tensor.is_neg()) {
    return differs(miss::strides, "values in memory", "a conjugate or negative view");
  }
  if (tensor.numel() != 0 && alignment_of(tensor.const_data_ptr()) < alignment) {
    return differs(miss::alignment, "an address that is a multiple of " + std::to_string(alignment),
                   "a multiple of " + std::to_string(alignment_of(tensor.const_data_ptr())));
  }
  if (tensor.is_inference() && !c10::InferenceMode::is_enabled()) {
    return differs(miss::inference, "a normal tensor", "an inference tensor");
  }
  if (c10::GradMode::is_enabled() && tensor.requires_grad() != spec.grad) {
    return differs(miss::requires_grad, spec.grad ? "requires grad" : "does not require grad", spec.grad ? "does not" : "requires grad");
  }
  return std::nullopt;
}

std::optional<mismatch> check_overlap(const callable_spec& spec, c10::ArrayRef<at::Tensor> tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!spec.tensors[i].inplace) {
      continue;
    }
    if (c10::GradMode::is_enabled() && tensors[i].is_view()) {
      return mismatch{miss::overlap, spec.tensors[i].name, "a tensor of its own, as gradients may go through it",
                      "a view of another tensor"};
    }
    for (std::size_t j = 0; j < tensors.size(); ++j) {
      if (i == j || !tensors[i].is_alias_of(tensors[j])) {
        continue;
      }
      return mismatch{miss::overlap, spec.tensors[i].name, "memory of its own",
                      std::string("memory shared with '") + spec.tensors[j].name + "'"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<mismatch> check(const callable_spec& spec, const inputs& inputs, c10::Device device, std::size_t alignment) {
  if (auto found = check_counts(spec, inputs.counts())) {
    return found;
  }
  const auto tensors = inputs.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (auto found = check_tensor(spec.tensors[i], tensors[i], device, alignment)) {
      return found;
    }
  }
  return check_overlap(spec, tensors);
}

}  // namespace graphed
