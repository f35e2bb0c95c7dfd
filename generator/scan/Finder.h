// SPDX-License-Identifier: Apache-2.0
//
// Finds what is annotated in one file of the translation unit; files that it includes are scanned on their own.
#pragma once

#include "scan/MacroText.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace graphgen::scan {

/// One GRAPHED(...) on one declaration, or one GRAPHED_FOR(...).
struct AnnotatedDecl {
  const clang::NamedDecl* Declaration;  // the function that GRAPHED_FOR names, or what holds its first argument where that is none
  const clang::AnnotateAttr* Attribute;
  const MacroText* Text;
  const clang::DeclContext* Scope;  // of the annotation

  /// Where to complain of the declaration; one that is not the user's has no such place.
  clang::SourceLocation place() const { return Text->namesFunction() ? Text->location() : Declaration->getLocation(); }
};

struct Findings {
  std::vector<AnnotatedDecl> Annotated;  // in the order of the file
  std::vector<const MacroText*> Loose;   // in the file, but on no declaration that compiles
};

/// Whether a place, that is in no macro, is in the file.
using InFile = llvm::function_ref<bool(clang::SourceLocation)>;

Findings findAnnotated(clang::ASTContext& Context, const MacroTexts& Texts, InFile IsHere);

/// In the file that was named on the command line.
Findings findAnnotated(clang::ASTContext& Context, const MacroTexts& Texts);

/// Those of the declarations that the annotated one redeclares; of GRAPHED_FOR, those of all declarations.
std::vector<const clang::AnnotateAttr*> earlierAnnotations(const AnnotatedDecl& Annotated);

/// The text of the macro's argument.
std::string attributeText(const clang::AnnotateAttr& Attribute);

}  // namespace graphgen::scan
