// SPDX-License-Identifier: Apache-2.0
//
// Which members the bodies name that a callable comes to.
#pragma once

#include "scan/Bodies.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace clang {
class CXXMethodDecl;
class CXXRecordDecl;
class FieldDecl;
}  // namespace clang

namespace graphgen::scan {

struct MemberReads {
  llvm::SmallPtrSet<const clang::FieldDecl*, 16> Named;  // read or written
  /// Classes of which a body that is not in this file may name any member: it is a method of the class, or is given an object of it.
  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 8> Unknown;

  bool isUnknown(const clang::FieldDecl& Field) const;
};

/// Of the object that the method is called on, and of what it holds.
MemberReads membersNamedBy(const clang::CXXMethodDecl& Callable, const Bodies& Bodies);

}  // namespace graphgen::scan
