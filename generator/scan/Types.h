// SPDX-License-Identifier: Apache-2.0
//
// Names as generated code spells them.
#pragma once

#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/Type.h"

#include <string>

namespace clang {
class ASTContext;
class NamedDecl;
}  // namespace clang

namespace graphgen::scan {

/// Fully qualified, without anonymous and inline namespaces.
clang::PrintingPolicy namePolicy(const clang::ASTContext& Context);
std::string qualifiedName(const clang::NamedDecl& D);
/// The same with the arguments of a template's instance: "app::scale<float>".
std::string instanceName(const clang::NamedDecl& D);
std::string typeName(const clang::ASTContext& Context, clang::QualType Type);

}  // namespace graphgen::scan
