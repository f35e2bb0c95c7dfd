// SPDX-License-Identifier: Apache-2.0
//
// All graphed callables of the process: their statistics in one table, their named pools, and their reset.
//
// Python: torch.compiler.reset is the nearest; torch.cuda has none.
#pragma once

#include <graphed/export.h>
#include <graphed/stats.h>

#include <c10/core/Device.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace graphed {

struct CallableStatistics {
  std::string name;  ///< "app::policy"
  std::string file;  ///< of the annotation, as given to graphgen
  int line;
  Statistics stats;
};

/// Printed as a table: one row each, the callable's name, and a row of the sums.
class GRAPHED_API StatisticsTable {
 public:
  std::vector<CallableStatistics> rows;
};
GRAPHED_API std::ostream& operator<<(std::ostream& out, const StatisticsTable& table);

/// One row for each graphed callable that is alive, in the order of their making. Copies of one are one; instances on several modules are
/// several. Any thread may call; the counts of one row belong together.
GRAPHED_API StatisticsTable stats_all();

/// The pools that annotations name and that captures hold, in the order of their names and devices.
struct NamedPoolBytes {
  std::string name;
  c10::Device device;
  uint64_t bytes_held;  ///< as PoolHandle::bytes_held
};
GRAPHED_API std::vector<NamedPoolBytes> named_pools();

/// Resets each of them, as its own reset(). Any thread may call. Graphs of the stand-alone API stay.
GRAPHED_API void reset_all();

}  // namespace graphed
