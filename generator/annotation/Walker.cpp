// SPDX-License-Identifier: Apache-2.0
//
// Goes over a tree's dimensions, counts and option values.
#include "annotation/Walker.h"

namespace graphgen::annotation {

void Walker::walk(const Annotation& Tree) {
  for (const Field& Argument : Tree.Arguments) {
    walk(Argument.Value);
  }
  for (const DimVariable& Variable : Tree.Variables) {
    for (const Expr& Value : Variable.Values) {
      value(Value);
    }
    if (Variable.AtMost) {
      value(*Variable.AtMost);
    }
  }
  for (const Option& Parsed : Tree.Options) {
    if (Parsed.Value) {
      option(Parsed);
    }
  }
}

void Walker::walk(const Spec& Value) {
  if (Value.What == Spec::Kind::Tensor) {
    tensor(Value);
  }
  for (const Field& Member : Value.Fields) {
    walk(Member.Value);
  }
  if (Value.Repeat) {
    count(*Value.Repeat);
  }
}

}  // namespace graphgen::annotation
