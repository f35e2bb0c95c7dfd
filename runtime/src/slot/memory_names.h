// SPDX-License-Identifier: Apache-2.0
//
// What the memory is called that a graph reads and has not made: arguments, and parameters of modules.
#pragma once

#include "backend/captured_graph.h"
#include "report/run/callable_report.h"

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>

#include <optional>
#include <string>
#include <unordered_map>

namespace graphed::impl {

class memory_names {
 public:
  /// A tensor that is undefined, or has no storage, has no name.
  void add(const at::Tensor& tensor, const std::string& name) { add(tensor, name, ""); }
  /// "fc1.weight" of the module "fc1".
  void add(const at::Tensor& tensor, const std::string& name, const std::string& module);

  std::vector<reported_node> nodes_of(const captured_work& work) const;
  /// Nothing where no report was collected at its capture.
  std::optional<reported_work> report(const executable& work) const;

 private:
  struct place {
    std::string name, module;
  };
  std::unordered_map<const void*, place> by_storage_;
};

}  // namespace graphed::impl
