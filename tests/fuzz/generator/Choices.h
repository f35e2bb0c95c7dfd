// SPDX-License-Identifier: Apache-2.0
//
// The fuzzer's bytes as decisions. They are taken from the front of a line, so that what is inserted or copied elsewhere changes none.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphgen::fuzz {

class Choices {
 public:
  explicit Choices(llvm::StringRef Line) : Rest(Line) {}

  /// A number below `Count`: '0' chooses 0, '1' chooses 1, and so on. 0 where nothing is left.
  unsigned below(unsigned Count);

  /// Once in `Count` for bytes that are as likely as each other; never where nothing is left.
  bool oneIn(unsigned Count) { return below(Count) == Count - 1; }

  template <class T, size_t N>
  const T& of(const T (&Alternatives)[N]) {
    return Alternatives[below(N)];
  }

  /// The bytes up to the next '`', or to the end of the line.
  llvm::StringRef text();

  bool isDone() const { return Rest.empty(); }

 private:
  llvm::StringRef Rest;
};

}  // namespace graphgen::fuzz
