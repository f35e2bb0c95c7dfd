// SPDX-License-Identifier: Apache-2.0
//
// Aggregates and lists that hold tensors in the memory of the host, for a call that no graph serves.
#pragma once

#include <graphed/impl/containers.h>
#include <graphed/impl/engine.h>

#include <cstddef>
#include <type_traits>

namespace graphed::impl {

/// In copies of a call's arguments, puts tensors where the callable computes in the place of those that are marked `host`. Generated code
/// visits the arguments with it. It passes over those that are not copies, which are const.
class OnDevice {
 public:
  explicit OnDevice(Call& call) : call_(call) {}

  template <class Argument>
  void operator()(const Argument& /*argument*/) const {}
  template <class Argument>
  void on_host(Argument& argument) const {
    if constexpr (!std::is_const_v<Argument>) {
      argument = call_.on_device(argument);
    }
  }
  void length(std::size_t /*count*/) const {}

  template <class List, class F>
  void each(List& list, F&& f) const {
    detail::for_each_element(list, f);
  }
  template <class Map, class F>
  void at(Map& map, const char* key, std::size_t /*tensors*/, F&& f) const {
    detail::with_value(map, key, f);
  }

 private:
  Call& call_;
};

}  // namespace graphed::impl
