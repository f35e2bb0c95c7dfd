// SPDX-License-Identifier: Apache-2.0
//
// C++ types as the glue sees them. Typedefs are looked through: torch::Tensor is at::Tensor.
#pragma once

#include "annotation/Callable.h"
#include "annotation/Syntax.h"

#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
class NamedDecl;
class ParmVarDecl;
class QualType;
class Sema;
}  // namespace clang

namespace graphgen::scan {

/// A part of a type that cannot be flattened.
struct TypeProblem {
  std::string Path;                         // "batch.config", or the parameter's name; empty for a result as a whole
  std::string Why;                          // "has type 'int *', which is not supported yet"
  const clang::NamedDecl* Place = nullptr;  // the member, or null
};

/// Where the kind is Unsupported, at any depth, there is a problem. A parameter's name begins its paths. What the annotation says decides
/// whether a struct is an aggregate or an object, and which members are ignored; null where it says nothing.
annotation::Type readParameterType(clang::Sema& Sema, const clang::ParmVarDecl& Declared, const annotation::Spec* Said,
                                   std::vector<TypeProblem>& Problems);

/// The type of the function's result. Strings and enumerators are problems: a replay would give those of the capture. Numbers may be read
/// of tensors.
annotation::Type readResultType(clang::Sema& Sema, const clang::FunctionDecl& Declared, std::vector<TypeProblem>& Problems);

/// Whether a parameter of this canonical type could be a `key`.
bool isKeyType(clang::QualType Type);

}  // namespace graphgen::scan
