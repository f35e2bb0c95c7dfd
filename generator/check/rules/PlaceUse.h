// SPDX-License-Identifier: Apache-2.0
//
// What an expression's surroundings do to the place that it names. What is not certainly a read is a change.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <initializer_list>

namespace graphgen::check {

struct PlaceUse {
  bool IsChange = false;
  const clang::VarDecl* Alias = nullptr;  // a variable that stands for the place, or leads to it, from here on
  bool Replaces = false;                  // a change that gives what it holds other objects
  bool IsBehind = false;                  // a change of what the place, a pointer or a holder, leads to
};

/// `Around`: from the function's body to the expression. `IsPlace`: false where the expression is a pointer or an iterator to the place.
/// `IsKnown`: false for a member of an object whose class a template's argument is. `In`: the function, or null.
PlaceUse useOfPlace(llvm::ArrayRef<const clang::Stmt*> Around, bool IsPlace, bool IsKnown, const clang::FunctionDecl* In);

/// What the innermost, an object of the function's own, is named for: others may come to have it, or callables use it. False where it is
/// only copied, read, and given values.
bool isHandedOn(llvm::ArrayRef<const clang::Stmt*> Around);

/// Of an inline method that only returns a reference to a member, or a pointer: `double& rate() { return rate_; }`. Else null.
const clang::MemberExpr* memberGivenBy(const clang::FunctionDecl& F);

/// Also a smart one, or an iterator.
bool isPointer(clang::QualType Type);
/// A pointer to what has no members of its own.
bool leadsToValue(clang::QualType Pointer);
/// A reference or a pointer to what is not const.
bool isToWrite(clang::QualType Type);

bool isNamed(const clang::NamedDecl& D, std::initializer_list<llvm::StringRef> All);

const clang::CXXRecordDecl* classOf(clang::QualType Type);
/// The class of the program's that an object of the type is, has as elements, or leads to.
const clang::CXXRecordDecl* ownClassIn(clang::QualType Type, unsigned Depth = 0);
/// A class of the program, whose members are places of their own.
bool isOwnClass(clang::QualType Type);

}  // namespace graphgen::check
