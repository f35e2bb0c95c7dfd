// SPDX-License-Identifier: Apache-2.0
//
// Which part of an object an expression names, by its text: a member, an element of a tuple or of a list.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <optional>

namespace graphgen::check {

struct Selection {
  const clang::Expr* Whole = nullptr;            // the object, or a pointer to it
  const clang::FieldDecl* Field = nullptr;       // null: an element
  std::optional<unsigned> Index = std::nullopt;  // of the field or element; nothing: any

  explicit operator bool() const { return Whole != nullptr; }
};

/// `s.a`, `p->a`, `std::get<0>(t)`, `list[1]`, `list.front()`; else none.
Selection selection(const clang::Expr& E, const clang::ASTContext& Context);

/// Of the standard library and LibTorch: std::vector, std::array, ArrayRef, std::initializer_list.
bool isList(clang::QualType Type);

/// Of the elements of a tuple or pair; none of what is no template's instance.
llvm::ArrayRef<clang::TemplateArgument> elementTypes(clang::QualType Tuple);

/// The place of what a function parameter that is passed by value, or a local variable, holds.
struct Holder {
  const clang::VarDecl* Variable = nullptr;
  bool IsThis = false;
  bool IsPart = false;            // a part of it, else the whole
  std::optional<unsigned> Index;  // of the outermost part; nothing: any

  explicit operator bool() const { return Variable || IsThis; }
};

/// Through members, elements, iterators and references to what E is kept in; none where that is neither a local variable nor `this`.
Holder holderOf(const clang::Expr& E, const clang::ASTContext& Context);

}  // namespace graphgen::check
