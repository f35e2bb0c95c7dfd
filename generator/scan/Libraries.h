// SPDX-License-Identifier: Apache-2.0
//
// Whose a declaration is: of LibTorch and the standard library, by the names of their namespaces, or of the scanned file.
#pragma once

namespace clang {
class Decl;
class NamespaceDecl;
}  // namespace clang

namespace graphgen::scan {

/// Null where `D` is in no namespace.
const clang::NamespaceDecl* outermostNamespace(const clang::Decl& D);

/// Such a namespace, of the outermost ones.
bool isLibrarys(const clang::NamespaceDecl& Namespace);

/// Whether the file that is scanned declares `D`, or expands the macro that does.
bool isInMainFile(const clang::Decl& D);

/// A namespace of LibTorch's, of the standard library's or of the runtime's, but in the scanned file, or what a system's header declares:
/// none of the program's bodies is in it.
bool isForeign(const clang::Decl& D);

/// Whether nothing asks for the body of the function `D`: one of LibTorch's own headers, and no template, which may be made for a type of
/// the program's. Two thirds of the time that LibTorch's headers take are such bodies.
bool isBodyNeverRead(const clang::Decl& D);

}  // namespace graphgen::scan
