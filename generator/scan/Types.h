// SPDX-License-Identifier: Apache-2.0
//
// Names as generated code spells them.
#pragma once

#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/Type.h"

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CXXRecordDecl;
class NamedDecl;
}  // namespace clang

namespace graphgen::scan {

/// Fully qualified, without anonymous and inline namespaces. An integer of 64 bits is `int64_t` or `uint64_t`, which Clang prints as
/// `long`.
clang::PrintingPolicy namePolicy(const clang::ASTContext& Context);
std::string qualifiedName(const clang::NamedDecl& D);
/// The same with the arguments of a template's instance: "app::scale<float>".
std::string instanceName(const clang::NamedDecl& D);
std::string typeName(const clang::ASTContext& Context, clang::QualType Type);
/// Whether code at namespace scope can name it: it has no unnamed or private class, and none of a function.
bool isSpellable(const clang::TemplateArgument& TypeOrValue);
/// As the source spells it, for messages.
std::string writtenName(const clang::ASTContext& Context, clang::QualType Type);
/// Of a template's instance; packs are taken apart.
std::vector<clang::TemplateArgument> templateArguments(const clang::CXXRecordDecl* Class);
/// What a container or an optional, an instance of a template, holds; canonical.
clang::QualType elementType(clang::QualType Holder);
/// bool, characters and integers but those of 128 bits.
bool isInteger(clang::QualType Type);
/// float and double.
bool isFloat(clang::QualType Type);

}  // namespace graphgen::scan
