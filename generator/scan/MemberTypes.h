// SPDX-License-Identifier: Apache-2.0
//
// What the members of an object hold, as far as a call may rely on it.
#pragma once

#include "annotation/Callable.h"

#include "clang/AST/Type.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

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
    Parts,    // a tuple or variant of which not all elements are leaves, or what holds or contains such
    Opaque,   // it may hold a value that a call computes with, and that no call can compare
    Unknown   // a class of the program's that is declared, and not defined
  };
  Form What = Form::Nothing;
  annotation::WatchedMember::Kind Kind = annotation::WatchedMember::Kind::Number;  // of a leaf; of a tuple, what weighs most
  const clang::CXXRecordDecl* Class = nullptr;  // of a module, and of what is not a leaf; null where it is unknown
  std::vector<clang::QualType> Parts;           // of a tuple or variant: its elements
  bool IsVariant = false;                       // which of them is there is a part of the value
  bool IsCounted = false;                       // a call decides how many there are, or there are very many
  bool IsReferred = false;                      // it is outside of the object
  bool IsHeld = false;                          // by what may hold none
  llvm::StringRef Why;                          // of what is opaque, in words
};

/// Of a member's or variable's type.
HeldType heldType(clang::QualType Type);

/// `Class` and the classes of the program's that its objects consist of or lead to: their definitions.
void addClasses(const clang::CXXRecordDecl& Class, llvm::SmallPtrSetImpl<const clang::CXXRecordDecl*>& Classes);

}  // namespace graphgen::scan
