// SPDX-License-Identifier: Apache-2.0
//
// LibTorch, the standard library and CUDA: their bodies are known, and not checked.
#pragma once

namespace clang {
class CXXMethodDecl;
class Decl;
class FunctionDecl;
}  // namespace clang

namespace graphgen::check {

/// Not in the main file, which may add to a library's namespace. It is declared in a namespace of LibTorch's or the standard library's, or
/// in none by a system header: C's and CUDA's.
bool isOfLibrary(const clang::Decl& D);

/// Declared in no namespace and no class, by C, CUDA or a system header: a program may have a `read` of its own.
bool isOfC(const clang::FunctionDecl& Function);

/// A virtual method of a library's, or one that overrides such a method.
bool isOfLibraryVirtual(const clang::CXXMethodDecl& Method);

}  // namespace graphgen::check
