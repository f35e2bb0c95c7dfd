// SPDX-License-Identifier: Apache-2.0
//
// C++ types as the glue sees them. Typedefs are looked through: torch::Tensor is at::Tensor.
#pragma once

#include "annotation/Callable.h"

#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/Type.h"

#include <optional>
#include <string>

namespace clang {
class ASTContext;
class NamedDecl;
}  // namespace clang

namespace graphgen::scan {

/// Names as generated code spells them: fully qualified, without anonymous and inline namespaces.
clang::PrintingPolicy namePolicy(const clang::ASTContext& Context);
std::string qualifiedName(const clang::NamedDecl& D);

annotation::ParameterType parameterType(clang::QualType T);

/// Nothing for a result that cannot be captured.
std::optional<annotation::ResultType> resultType(clang::QualType T);

}  // namespace graphgen::scan
