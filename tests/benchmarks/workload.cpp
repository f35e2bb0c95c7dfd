// SPDX-License-Identifier: Apache-2.0
#include "workload.h"

#include "models.h"

#include <iterator>
#include <stdexcept>

namespace benchmarks {

const char* to_string(unit kind) {
  switch (kind) {
    case unit::inference:
      return "inference";
    case unit::training:
      return "training";
    case unit::step:
      return "step";
  }
  return "";
}

const std::vector<entry>& workloads() {
  static const std::vector<entry> all = [] {
    std::vector<entry> gathered;
    for (auto family : {inference_workloads(), training_workloads(), step_workloads(), potential_workloads(), host_part_workloads(),
                        solver_workloads(), model_workloads()}) {
      gathered.insert(gathered.end(), std::make_move_iterator(family.begin()), std::make_move_iterator(family.end()));
    }
    return gathered;
  }();
  return all;
}

const entry& find_workload(const std::string& name) {
  for (const entry& each : workloads()) {
    if (each.name == name) {
      return each;
    }
  }
  throw std::invalid_argument("benchmarks: there is no workload '" + name + "'");
}

}  // namespace benchmarks
