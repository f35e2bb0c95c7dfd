// SPDX-License-Identifier: Apache-2.0
//
// Calls a program's callable and its original side by side, and changes what they read in between.
#pragma once

#include "values.h"

#include <graphed/stats.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hunt {

using function = std::function<std::vector<at::Tensor>(const at::Tensor&)>;

/// One way to change a host value.
struct change {
  const char* form;
  const char* what;
  const char* said;   ///< the ids of graphgen's diagnostics that name the value, or a place where it is declared or read
  const char* names;  ///< of the value, and of the members that lead to it
};

struct program {
  uint64_t seed;
  bool has_gradient;
  function plain, graphed;
  std::function<void()> reset;
  std::function<graphed::Statistics()> stats;
  std::vector<change> changes;
  std::function<void(std::size_t which, int k)> make;  ///< changes a value to that of `k`, in both objects
};

/// An object of a program, the same each time.
template <class T>
std::shared_ptr<T> make() {
  torch::manual_seed(1);
  return std::make_shared<T>();
}

class player {
 public:
  /// With `says_all` it also prints the differences that the build or the run has reported.
  explicit player(bool says_all);
  ~player();
  player(const player&) = delete;

  void play(const program& program);
  /// Prints what was found, and returns whether every difference was reported and enough calls were replayed.
  bool conclude() const;

 private:
  /// Why one of the next calls is not eager's, or nothing. That eager throws is a fault of the program.
  std::string difference(const program& program, int calls);
  void make(const program& program, std::size_t which);
  void report(const program& program, const change& change, const std::string& difference);
  void begin_anew(const program& program);

  const bool says_all_;
  int calls_of_program_ = 0;
  std::vector<std::string> lines_;  ///< that the runtime has written about the program
  uint64_t programs_ = 0, changes_ = 0, differences_ = 0, unreported_ = 0, calls_ = 0, replays_ = 0;
  std::map<std::string, uint64_t> unreported_forms_;
};

/// A program of a generated file.
struct entry {
  uint64_t seed;
  void (*play)(player&);
};
std::vector<entry>& entries();
/// The programs of a generated file, while it is initialized.
struct batch {
  batch(std::initializer_list<entry> programs) { entries().insert(entries().end(), programs); }
};

}  // namespace hunt
