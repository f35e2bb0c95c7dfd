// SPDX-License-Identifier: Apache-2.0
//
// Results that a graph writes into the memory of the host, `outputs = host` of an annotation, as generated code uses them.
#pragma once

#include <graphed/export.h>
#include <graphed/impl/containers.h>
#include <graphed/results.h>

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace graphed::impl {

class delivered_results;

/// The tensors of one call's result: they are there, or the graph that writes them runs.
class GRAPHED_API HostResults {
 public:
  explicit HostResults(tensor_list there) : there_(std::move(there)) {}
  explicit HostResults(std::shared_ptr<delivered_results> coming) : coming_(std::move(coming)) {}

  /// Does not wait.
  bool are_there() const;
  /// Waits. Once only. Throws DeviceError where the device can no longer be used.
  tensor_list take();

 private:
  tensor_list there_;
  std::shared_ptr<delivered_results> coming_;  ///< null: they are there
};

/// Puts copies in the memory of the host in the place of a result's tensors, but for those there that nothing else holds. Generated code
/// visits the result with it.
class ToHost {
 public:
  void operator()(at::Tensor& tensor) const {
    if (!tensor.defined()) {
      return;
    }
    const bool is_its_own = tensor.use_count() == 1 && tensor.has_storage() && tensor.storage().use_count() == 1 &&
                            tensor.storage().resizable();  // else the memory may be the program's, as of from_blob
    tensor = tensor.is_cpu() && !is_its_own ? tensor.clone() : tensor.cpu();
  }
  void operator()(std::optional<at::Tensor>& tensor) const {
    if (tensor) {
      (*this)(*tensor);
    }
  }
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  void operator()(const T& /*number*/) const {}
  void length(std::size_t /*count*/) const {}

  template <class List, class F>
  void each(List& list, F&& f) const {
    detail::for_each_element(list, f);
  }
  template <class Map, class F>
  void each_value(Map& map, F&& f) const {
    detail::for_each_value(map, f);
  }
};

/// A result in the memory of the host.
template <class Result>
Result to_host(Result result) {
  tensor_list tensors = graphed::pack(std::move(result));
  for (auto& tensor : tensors) {
    ToHost()(tensor);
  }
  return graphed::unpack<Result>(std::move(tensors));
}
/// The same of one whose tensors `visit` visits.
template <class Result, class Visit>
Result to_host(Result result, const Visit& visit) {
  const ToHost move;
  visit(move, result);
  return result;
}

}  // namespace graphed::impl
