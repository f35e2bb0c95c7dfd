// SPDX-License-Identifier: Apache-2.0
//
// Which members and variables the bodies name that a callable comes to.
#pragma once

#include "scan/Bodies.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class CXXRecordDecl;
class FieldDecl;
class FunctionDecl;
class ValueDecl;
class VarDecl;
}  // namespace clang

namespace graphgen::scan {

struct MemberReads {
  llvm::SmallPtrSet<const clang::FieldDecl*, 16> Named;  // read or written
  /// Those of the named ones that a body uses other than to assign to a member behind them.
  llvm::SmallPtrSet<const clang::FieldDecl*, 16> Followed;
  /// Classes of which a body that is not in this file may name any member: it is a method of the class, or is given an object of it.
  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 8> Unknown;
  /// Those of namespaces and classes that are not constants, in the order in which bodies name them.
  llvm::SetVector<const clang::VarDecl*> Variables;
  /// Members and variables behind which a body reads more than their types say, and why no call compares that, in words.
  llvm::DenseMap<const clang::ValueDecl*, llvm::StringRef> Beyond;

  bool isUnknown(const clang::FieldDecl& Field) const;
};

/// Whether the body is in the annotated file, or in a header that it includes: who reads the annotations sees what it names.
bool isSeenWithAnnotation(const clang::FunctionDecl& Callable, const clang::FunctionDecl& Body);

/// Of objects of the classes, and of what they hold, by the bodies that are seen with the annotation.
MemberReads readsOf(const clang::FunctionDecl& Callable, llvm::ArrayRef<const clang::CXXRecordDecl*> Classes, const Bodies& Bodies);

}  // namespace graphgen::scan
