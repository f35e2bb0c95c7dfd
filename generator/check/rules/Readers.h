// SPDX-License-Identifier: Apache-2.0
//
// Which of the annotated callables of a file compute from the tensors of the object and of variables that are there before their calls.
#pragma once

#include "check/flow/Facts.h"

#include <vector>

namespace graphgen::check {

class Readers {
 public:
  struct Read {
    const clang::FunctionDecl* Callable;  // the annotated one
    clang::SourceLocation Where;
  };

  /// All that calls of the callable come to.
  void add(const clang::FunctionDecl& Callable, const flow::Summary& Whole);

  /// By another callable, which gives the place no other tensor itself; null where there is none. Methods have it of their own object, if
  /// their classes are one, or one derives from the other.
  const Read* readOf(const flow::PathNode& Of, const clang::FunctionDecl& Besides) const;

 private:
  struct Reader {
    Read First;
    flow::Path Of;
  };
  std::vector<Reader> All;
};

}  // namespace graphgen::check
