// SPDX-License-Identifier: Apache-2.0
//
// Which members the bodies name that a callable comes to.
#pragma once

#include "scan/Bodies.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace clang {
class CXXRecordDecl;
class FieldDecl;
class FunctionDecl;
}  // namespace clang

namespace graphgen::scan {

struct MemberReads {
  llvm::SmallPtrSet<const clang::FieldDecl*, 16> Named;  // read or written
  /// Classes of which a body that is not in this file may name any member: it is a method of the class, or is given an object of it.
  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 8> Unknown;

  bool isUnknown(const clang::FieldDecl& Field) const;
};

/// Of objects of the classes, and of what they hold.
MemberReads membersNamedBy(const clang::FunctionDecl& Callable, llvm::ArrayRef<const clang::CXXRecordDecl*> Classes, const Bodies& Bodies);

}  // namespace graphgen::scan
