// SPDX-License-Identifier: Apache-2.0
#include "torch/lazy_clone.h"

#include "torch/raw_tensors.h"

#include <ATen/ops/_lazy_clone_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <cstdint>
#include <optional>

namespace graphed::impl {
namespace {

bool (*is_written_by_graphs)(const at::Tensor& tensor) = nullptr;

at::Tensor copy_of_storage(const at::Tensor& tensor) {
  const c10::Storage& storage = tensor.storage();
  const at::Tensor bytes = tensor_over(storage, {static_cast<int64_t>(storage.nbytes())}, {1}, at::kByte);
  return at::empty({0}, tensor.options()).set_(at::clone(bytes).storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides());
}

at::Tensor lazy_clone(const at::Tensor& tensor) {
  return is_written_by_graphs(tensor) ? copy_of_storage(tensor) : at::native::_lazy_clone(tensor);
}

}  // namespace

void watch_lazy_clone(bool (*check)(const at::Tensor& tensor)) {
  is_written_by_graphs = check;
  static auto& library = *new torch::Library(torch::Library::IMPL, "aten", std::nullopt, __FILE__, __LINE__);
  for (const auto key : {c10::DispatchKey::CPU, c10::DispatchKey::CUDA}) {
    library.impl("_lazy_clone", torch::dispatch(key, TORCH_FN(lazy_clone)));
  }
}

}  // namespace graphed::impl
