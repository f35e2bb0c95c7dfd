// SPDX-License-Identifier: Apache-2.0
//
// Which body of a branch or loop a run of a callable is in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

namespace graphed::impl {

class recording;

/// Which body a recording runs: those of different runs of a callable have the same path where they are the same code.
struct body_place {
  std::string path;           ///< "/0/then": of the first choice
  uint64_t visit;             ///< no other one of the process has it
  body_place* outer;          ///< the body that it is in, or null
  std::size_t choices = 0;    ///< that it has come to
  uint64_t also = 0;          ///< it may use what that visit has made, whose gradients it computes, or which is its condition's; 0: none
  bool is_condition = false;  ///< of a loop; a graph evaluates it once more where the loop ends at its most
};
using body_paths = std::set<std::string>;
/// Of the active recording the innermost one, or null. For observers, and where own_recording() is not null.
const body_place* current_body();
inline bool inside_body() { return current_body() != nullptr; }
/// The path of the choice that the run, or the body, comes to next.
std::string next_choice();
/// The body may use what that visit has made.
void use_also(uint64_t visit);

/// While it lives, own_recording(), if any, runs a body.
class body_scope {
 public:
  explicit body_scope(std::string path, bool is_condition = false);
  ~body_scope();
  body_scope& operator=(body_scope&&) = delete;

  uint64_t visit() const { return here_.visit; }

 private:
  const std::shared_ptr<recording> seen_;  ///< null where there is none
  body_place here_;
};

}  // namespace graphed::impl
