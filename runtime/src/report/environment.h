// SPDX-License-Identifier: Apache-2.0
//
// The environment variables that change what all graphed callables of a process do: docs/reference/environment.md. They are read once.
#pragma once

#include <graphed/impl/spec.h>
#include <graphed/log.h>

#include <cstdint>
#include <string>

namespace graphed::impl {

struct environment {
  bool disable = false;  ///< GRAPHED_DISABLE: every call runs eagerly
  bool fuse = false;     ///< GRAPHED_FUSE: pointwise operators of a graph run as few kernels
  bool serial = false;   ///< GRAPHED_SERIAL: no operator of a graph runs beside another
  bool strict = false;   ///< GRAPHED_STRICT: every callable is strict
  uint64_t verify = 0;   ///< GRAPHED_VERIFY=n: of the calls after a key's first capture the first n, and every n-th, are compared; 0: none
  LogLevel log = LogLevel::Warnings;  ///< GRAPHED_LOG
  std::string dump;                   ///< GRAPHED_DUMP: the folder that each capture's graph is written into; empty: none
  std::string report;                 ///< GRAPHED_REPORT: the folder that the report is written into at the end; empty: none
  std::string cache;                  ///< GRAPHED_CACHE: the folder of compiled kernels; empty: the user's folder for caches
  bool report_times = false;          ///< GRAPHED_REPORT_TIMES: a GPU measures each operator of a graph, for the report

  /// Throws Error for a value that a variable cannot have.
  static const environment& get();
  /// What `lookup` says of each variable, null for one that is not set.
  static environment parse(const char* (*lookup)(const char* name));
};

/// Whether misses and failed captures throw.
inline bool is_strict(const CallableSpec& spec) { return spec.strict || environment::get().strict; }

}  // namespace graphed::impl
