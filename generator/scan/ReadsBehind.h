// SPDX-License-Identifier: Apache-2.0
//
// What bodies read behind members and variables beyond what the types of these say: all objects that a pointer leads to, what a `void*`
// points to, what a library's object gives.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class FunctionDecl;
class ValueDecl;
}  // namespace clang

namespace graphgen::scan {

/// A library's object, or a pointer to one, of which calls look at nothing.
bool isUncompared(const clang::ValueDecl& D);

class ReadsBehind {
 public:
  using Reasons = llvm::DenseMap<const clang::ValueDecl*, llvm::StringRef>;

  /// At a body of the program's that calls come to.
  void look(const clang::FunctionDecl& Body);

  /// Of each why no call compares it, in words; also where another variable, a parameter or a result has the pointer.
  Reasons take();

 private:
  class Collector;
  Reasons Found;
  llvm::DenseMap<const clang::ValueDecl*, llvm::SmallPtrSet<const clang::ValueDecl*, 1>> Aliases;  // what a name may stand for
};

}  // namespace graphgen::scan
