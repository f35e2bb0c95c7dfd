// SPDX-License-Identifier: Apache-2.0
//
// Bodies of functions and definitions of classes, templates' instances among them.
#pragma once

#include "clang/Basic/SourceLocation.h"

#include <optional>
#include <string>

namespace clang {
class ASTContext;
class CXXRecordDecl;
class FunctionDecl;
class Sema;
}  // namespace clang

namespace graphgen::scan {

class CompilerErrors;

class Bodies {
 public:
  struct Error {
    clang::SourceLocation Where;
    std::string Message;
  };

  Bodies(clang::Sema& Sema, const CompilerErrors& Compiler) : Sema(Sema), Compiler(Compiler) {}

  /// Of the file that they are of.
  clang::ASTContext& context() const;

  /// The definition of `F` with its body, instantiated if it was not yet; null where the file has none.
  const clang::FunctionDecl* definitionOf(const clang::FunctionDecl& F) const;

  /// What the compiler says first against the text of the definition.
  std::optional<Error> firstErrorIn(const clang::FunctionDecl& Definition) const;

  /// Instantiates the class if nothing has asked for its definition yet.
  void define(const clang::CXXRecordDecl& Class) const;

 private:
  clang::Sema& Sema;
  const CompilerErrors& Compiler;
};

}  // namespace graphgen::scan
