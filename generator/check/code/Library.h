// SPDX-License-Identifier: Apache-2.0
//
// LibTorch, the standard library and CUDA: their bodies are known, and not judged.
#pragma once

namespace clang {
class Decl;
class FunctionDecl;
}  // namespace clang

namespace graphgen::check {

/// Declared in a namespace of LibTorch's or the standard library's, or in none by a system header: C's and CUDA's.
bool isOfLibrary(const clang::Decl& D);

/// An instance of a library's template that was made for a type of the program's, whose functions it may call: std::for_each with a lambda,
/// torch::nn::ModuleHolder<NetImpl>::operator().
bool isMadeForProgram(const clang::FunctionDecl& F);

}  // namespace graphgen::check
