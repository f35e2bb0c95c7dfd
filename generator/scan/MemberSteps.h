// SPDX-License-Identifier: Apache-2.0
//
// How generated code goes from an object to a member, and to a variable.
#pragma once

#include "annotation/Callable.h"

#include "llvm/ADT/StringRef.h"

namespace clang {
class CXXRecordDecl;
class FieldDecl;
class NamedDecl;
class VarDecl;
}  // namespace clang

namespace graphgen::scan {

/// It, and each class around it.
bool isPublic(const clang::NamedDecl& D);

/// Members of an anonymous union are named as those of the class around it.
const clang::CXXRecordDecl& classOf(const clang::FieldDecl& Field);

/// Why generated code cannot take the step to `Field`, in words; empty where it can.
llvm::StringRef whyUnreachable(const clang::FieldDecl& Field);

/// By its address, where that is a constant.
annotation::MemberStep stepTo(const clang::VarDecl& Variable);
annotation::MemberStep stepTo(const clang::FieldDecl& Field);
/// To an element of a tuple or variant; -1: to the number of the alternative that a variant holds.
annotation::MemberStep stepTo(int64_t Element);

}  // namespace graphgen::scan
