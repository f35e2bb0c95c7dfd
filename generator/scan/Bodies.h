// SPDX-License-Identifier: Apache-2.0
//
// Bodies of functions and definitions of classes, templates' instances among them.
#pragma once

namespace clang {
class ASTContext;
class CXXRecordDecl;
class FunctionDecl;
class Sema;
}  // namespace clang

namespace graphgen::scan {

class Bodies {
 public:
  explicit Bodies(clang::Sema& Sema) : Sema(Sema) {}

  /// Of the file that they are of.
  clang::ASTContext& context() const;

  /// The definition of `F` with its body, instantiated if it was not yet; null where the file has none.
  const clang::FunctionDecl* definitionOf(const clang::FunctionDecl& F) const;

  /// Instantiates the class if nothing has asked for its definition yet.
  void define(const clang::CXXRecordDecl& Class) const;

 private:
  clang::Sema& Sema;
};

}  // namespace graphgen::scan
