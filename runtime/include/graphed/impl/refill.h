// SPDX-License-Identifier: Apache-2.0
//
// The inverse of `Inputs`: puts tensors into a copy of an argument or result that has the same form.
#pragma once

#include <graphed/impl/containers.h>
#include <graphed/impl/inputs.h>

#include <cstddef>
#include <optional>

namespace graphed::impl {

/// Generated code visits aggregates with it, in the order in which `Inputs` took their tensors. An undefined tensor empties a
/// std::optional. Throws nothing of its own; `tensors` must outlive it and be as many as are visited.
class Refill {
 public:
  explicit Refill(const tensor_list& tensors) : first_(tensors.data()), next_(first_) {}

  void operator()(at::Tensor& tensor) { tensor = *next_++; }
  void operator()(std::optional<at::Tensor>& tensor) {
    tensor = next_->defined() ? std::optional(*next_) : std::nullopt;
    ++next_;
  }
  /// The address of a tensor that the callable gets as it is.
  void operator()(std::size_t& position) { position = static_cast<std::size_t>(next_++ - first_); }
  template <class Argument>
  void on_host(Argument& argument) {
    (*this)(argument);
  }
  void length(std::size_t /*count*/) {}

  template <class List, class F>
  void each(List& list, F&& f) {
    detail::for_each_element(list, f);
  }
  template <class Map, class F>
  void at(Map& map, const char* key, std::size_t tensors, F&& f) {
    if (!detail::with_value(map, key, f)) {
      next_ += tensors;
    }
  }
  template <class Map, class F>
  void each_value(Map& map, F&& f) {
    detail::for_each_value(map, f);
  }

 private:
  const at::Tensor* const first_;
  const at::Tensor* next_;
};

}  // namespace graphed::impl
