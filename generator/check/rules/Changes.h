// SPDX-License-Identifier: Apache-2.0
//
// Which members and variables a file's bodies may change once what holds them is made. What is not certainly a read is a change: a finding
// that no value is ever another one must be right.
#pragma once

#include "check/code/UnitIndex.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceLocation.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace graphgen::check {

class Changes {
 public:
  Changes(const clang::ASTContext& Context, const UnitIndex& Unit);
  ~Changes();
  Changes& operator=(Changes&&) = delete;

  using Functions = llvm::SmallPtrSet<const clang::FunctionDecl*, 16>;

  /// The first place where the file, or a header's body, changes it, functions of `But` left out; invalid where nothing does. `IsItself`:
  /// gives a pointer or holder something else, other than changing what that leads to.
  clang::SourceLocation of(const clang::ValueDecl& D, const Functions& But, bool IsItself = false) const;

  struct Place {
    const clang::FunctionDecl* By;  // a pattern
    clang::SourceLocation Where;
    bool IsBehind;  // what it leads to is changed
  };
  using Places = llvm::SmallVector<Place, 1>;  // the first of each function, and of each kind
  /// By the patterns of members and variables.
  const llvm::MapVector<const clang::ValueDecl*, Places>& all() const;
  /// By what members are called that templates change of objects of any class.
  const llvm::StringMap<Places>& names() const;

 private:
  const clang::ASTContext& Context;
  const UnitIndex& Unit;
  struct Found;
  const Found& found() const;
  mutable std::unique_ptr<Found> Known;  // made when first asked for
};

}  // namespace graphgen::check
