// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for LibTorch with the names that the generator looks for: a scan of it takes milliseconds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace at {
class Tensor {
 public:
  Tensor operator+(const Tensor& other) const;
  Tensor& add_(const Tensor& other);
  Tensor matmul(const Tensor& other) const;
};
}  // namespace at

namespace c10 {
template <class T>
class ArrayRef {
 public:
  ArrayRef() = default;
  ArrayRef(const std::vector<T>& values);
  const T& operator[](std::size_t index) const;
};
template <class T>
class List {};
template <class Key, class Value>
class Dict {};
template <class T>
using optional = std::optional<T>;
using std::nullopt;
}  // namespace c10

namespace at {
using TensorList = c10::ArrayRef<Tensor>;
}

namespace torch {
using at::Tensor;
using at::TensorList;
using c10::nullopt;
using c10::optional;

template <typename Key, typename Value>
class OrderedDict {};

namespace nn {
class Module {
 public:
  virtual ~Module() = default;
};

template <class Derived>
class Cloneable : public virtual Module {};

template <class Contained>
class ModuleHolder {
 public:
  Contained* operator->() const { return impl_.get(); }

 private:
  std::shared_ptr<Contained> impl_;
};
}  // namespace nn
}  // namespace torch

#define TORCH_MODULE(Name)                                    \
  class Name : public torch::nn::ModuleHolder<Name##Impl> {   \
   public:                                                    \
    using torch::nn::ModuleHolder<Name##Impl>::ModuleHolder;  \
  }
