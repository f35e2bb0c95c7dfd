// SPDX-License-Identifier: Apache-2.0
//
// Parameters that refer to an object, which a call uses where it is.
#pragma once

#include "clang/AST/Type.h"

#include <optional>

namespace clang {
class CXXRecordDecl;
}

namespace graphgen::scan {

struct ReferredObject {
  const clang::CXXRecordDecl* Class;  // of a module holder, the holder; else that of the object. Its definition, where there is one
  bool IsModule;
  bool IsNoValue;  // a reference that is not const, or a pointer: no aggregate
};

/// Of a reference to a class, a raw or smart pointer to one, or a module holder. A copy is not an object: another one on each call.
std::optional<ReferredObject> referredObject(clang::QualType Parameter);

/// Whether the parameter is a pointer to an object by reference to non-const: the callable could give it another one, which no call would
/// look at.
bool couldPointElsewhere(clang::QualType Parameter);

/// An engine or a distribution of <random>: each draw changes it.
bool isRandomSource(const clang::CXXRecordDecl& Class);

}  // namespace graphgen::scan
