// SPDX-License-Identifier: Apache-2.0
//
// What a call provides and takes beside the arguments and results that generated code knows.
#pragma once

#include <graphed/impl/inputs.h>
#include <graphed/results.h>

namespace graphed::impl {

/// Members of the callable's object, as one call finds them.
class call_members {
 public:
  /// The call's tensors, then those of the members.
  virtual const Inputs& inputs() const = 0;
  /// After a replay: takes the last ones of `results`, and puts them into the members.
  virtual void assign(tensor_list& results) const = 0;

 protected:
  ~call_members() = default;
};

}  // namespace graphed::impl
