// SPDX-License-Identifier: Apache-2.0
//
// The files that GRAPHED_DUMP asks for, of each capture: "app.policy-3-forward.dot", its graph, and "app.policy-3-forward.json", its
// operators.
#pragma once

#include "backend/captured_graph.h"
#include "report/run/collecting.h"

#include <graphed/impl/spec.h>

#include <string>

namespace graphed::impl {

/// Of one capture. A file that cannot be written is a warning.
class graph_dump {
 public:
  /// `direction`: "forward".
  graph_dump(const CallableSpec& spec, const char* direction) : spec_(spec), direction_(direction) {}

  /// Whether GRAPHED_DUMP names a folder. If not, nothing is written.
  static bool is_wanted();
  /// In Graphviz's language. The files are numbered in the process.
  void write_graph(const captured_graph& graph);
  /// After it, as graphs are in report.json, without what is known later: names of memory, times.
  void write_operators(const captured_work& work) const;

 private:
  const CallableSpec& spec_;
  const char* const direction_;
  std::string stem_;  ///< of both files, with the folder
};

}  // namespace graphed::impl
