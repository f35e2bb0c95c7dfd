// SPDX-License-Identifier: Apache-2.0
//
// What the members of an object hold, as far as a call may rely on it.
#pragma once

#include "annotation/Callable.h"

#include "clang/AST/Type.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace clang {
class CXXRecordDecl;
class Decl;
}  // namespace clang

namespace graphgen::scan {

/// Of LibTorch, the standard library, the runtime or a system's header.
bool isOfLibraryOrSystem(const clang::Decl& D);

/// torch::nn::Module, or derived from it.
bool isModule(const clang::CXXRecordDecl& Class);

/// A module of TorchScript, or what runs a model that AOTInductor has compiled.
bool isModel(const clang::CXXRecordDecl& Class);

/// torch::nn::ModuleHolder or AnyModule, or derived from one.
bool isModuleHolder(const clang::CXXRecordDecl& Class);

/// The definition of the module's class that a torch::nn::ModuleHolder holds; null of what may hold any module.
const clang::CXXRecordDecl* moduleHeldBy(const clang::CXXRecordDecl& Holder);

struct HeldType {
  enum class Form {
    Nothing,  // that is watched
    Leaf,     // a module, a model, a tensor, a number, or what holds or contains only such
    Class,    // a class of the program's, or what holds or contains only that class
    Mixed,    // a tuple of such a class and of something else
    Unknown   // a class of the program's that is declared, and not defined
  };
  Form What = Form::Nothing;
  annotation::WatchedMember::Kind Kind = annotation::WatchedMember::Kind::Number;  // of a leaf; of a tuple, what weighs most
  const clang::CXXRecordDecl* Class = nullptr;  // of a module, and of what is not a leaf; null where it is unknown
  bool IsCounted = false;                       // a call decides how many there are
  bool IsReferred = false;                      // it is outside of the object
};

/// Of a member's type. Numbers in lists and maps, and behind pointers, are nothing.
HeldType heldType(clang::QualType Type);

/// `Class` and the classes of the program's that its objects consist of or lead to: their definitions.
void addClasses(const clang::CXXRecordDecl& Class, llvm::SmallPtrSetImpl<const clang::CXXRecordDecl*>& Classes);

}  // namespace graphgen::scan
