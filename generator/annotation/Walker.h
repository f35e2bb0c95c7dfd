// SPDX-License-Identifier: Apache-2.0
//
// Goes over a tree's dimensions, counts and option values.
#pragma once

#include "annotation/Syntax.h"

namespace graphgen::annotation {

/// Calls its functions for each tensor, each `* n`, each value and limit of a dimension variable and each option that has a value.
class Walker {
 public:
  virtual ~Walker() = default;
  void walk(const Annotation& Tree);

 protected:
  virtual void tensor(const Spec& Tensor) = 0;
  virtual void count(const Expr& Count) = 0;
  virtual void value(const Expr& Value) = 0;
  virtual void option(const Option& Parsed) = 0;

 private:
  void walk(const Spec& Value);
};

}  // namespace graphgen::annotation
