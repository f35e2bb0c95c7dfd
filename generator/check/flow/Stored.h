// SPDX-License-Identifier: Apache-2.0
//
// What the unit puts into members and variables that outlive their function, by bodies that no call of the callable comes to.
#pragma once

#include "check/code/UnitIndex.h"
#include "check/flow/Value.h"

#include <vector>

namespace graphgen::check::flow {

/// An option of a module or function of LibTorch's: `inplace(true)`.
struct Setting {
  llvm::StringRef Option;
  const clang::Expr* Given;
  const clang::Expr* At;
};

/// Of the settings with one name the last one that is executed, or null.
const Setting* settingOf(llvm::ArrayRef<Setting> Said, llvm::StringRef Option);
bool isSet(llvm::ArrayRef<Setting> Said, llvm::StringRef Option, const clang::ASTContext& Context);

/// A module of LibTorch's, as it is made.
struct Making {
  const clang::CXXRecordDecl* Holder = nullptr;  // null where it is unknown which
  std::vector<Setting> Said = {};
};

struct Stored {
  llvm::SmallVector<Callable, 1> Callables;
  llvm::SmallVector<const clang::CXXRecordDecl*, 1> Classes;  // of what pointers lead to; none where unknown
  bool AreAll = true;                                         // those: no other file may make another one
  llvm::SmallVector<const clang::CXXRecordDecl*, 1> Modules;  // of the program's, in a container of LibTorch's
  std::vector<std::vector<Making>> Runs;                      // of each value the modules of LibTorch's that run one after the other
  std::vector<Making> Added;                                  // behind those
  const clang::Expr* Made = nullptr;                          // what a function of a library gave, the first one
};

/// The variable or member that a place is part of: not the `second` of a map's element. Null of what has no name.
const clang::ValueDecl* storeOfPath(Path Of);

/// torch::nn::Linear, of LibTorch itself.
bool isModuleHolder(clang::QualType Type);

/// What a module is made of.
Stored madeBy(const clang::Expr& Module, const UnitIndex& Unit);

/// What options are made with.
std::vector<Setting> settingsIn(const clang::Expr& Options, const UnitIndex& Unit);

Stored storedIn(const clang::ValueDecl& Store, const UnitIndex& Unit);

}  // namespace graphgen::check::flow
