// SPDX-License-Identifier: Apache-2.0
//
// To whom belongs what an expression names, in a body that a call of the annotated callable comes to: what outlives that call, and what
// does not.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

#include <tuple>
#include <vector>

namespace graphgen::check {

struct Frame;

struct Owner {
  enum class Kind {
    Unknown,
    Local,     // made in the call
    Argument,  // of the annotated callable: Declared is the parameter
    Object,    // on which the annotated callable is called, or what its members lead to: Declared is the last member named, or null
    Global     // also static members and variables
  };
  Kind What = Kind::Unknown;
  const clang::ValueDecl* Declared = nullptr;
  const clang::FieldDecl* Part = nullptr;    // the last member named of an argument
  const clang::CallExpr* Through = nullptr;  // of values: what gives them or a copy: `reshape`, `to`
  bool IsAnyElement = false;                 // of a list: perhaps it is another element's

  bool outlivesCall() const { return What == Kind::Object || What == Kind::Global; }
  bool operator==(const Owner& Other) const { return key() == Other.key(); }
  bool operator<(const Owner& Other) const { return key() < Other.key(); }

 private:
  std::tuple<Kind, const clang::ValueDecl*, const clang::FieldDecl*, const clang::CallExpr*, bool> key() const {
    return {What, Declared, Part, Through, IsAnyElement};
  }
};

/// What is asked of an expression: whose variable it names, whose is what the pointer in it leads to, whose is its tensor, and whose are
/// that tensor's values, which a view shares.
enum class Aspect { Variable, Pointee, Tensor, Values };

struct Owners {
  Owner Variable, Pointee, Tensor, Values;
  std::vector<Owners> Parts = {};  // of an object or a list of the call's own: of its fields or elements, by their places

  const Owner& of(Aspect Asked) const {
    return Asked == Aspect::Variable ? Variable : Asked == Aspect::Pointee ? Pointee : Asked == Aspect::Tensor ? Tensor : Values;
  }
  bool operator<(const Owners& Other) const {
    return std::tie(Variable, Pointee, Tensor, Values, Parts) <
           std::tie(Other.Variable, Other.Pointee, Other.Tensor, Other.Values, Other.Parts);
  }
};

/// Of the object and the parameters of a body, by the call that led there.
struct PassedOwners {
  Owners Object;  // `this`
  std::vector<Owners> Parameters;

  bool operator<(const PassedOwners& Other) const { return std::tie(Object, Parameters) < std::tie(Other.Object, Other.Parameters); }
};

/// Follows local variables to what they were made of, views to their tensors, parameters to the arguments of the call that led to `In`.
/// Unknown where that is not sure.
Owner ownerOf(const clang::Expr& E, Aspect Of, const Frame& In);

/// Where E names elements of a list that is written out, `*t` of `for (Tensor* t : {&k, &v})`, those of each; else the one.
std::vector<Owner> ownersOfEach(const clang::Expr& E, Aspect Of, const Frame& In);

/// Whether the variable that E names is certainly there before and after each call of the annotated callable: a member of its object, a
/// variable of a namespace. Arguments are not.
bool outlivesCall(const clang::Expr& E, const Frame& In);

/// Of a call or construction in `In`.
PassedOwners passedOwners(const clang::Stmt& Call, const clang::FunctionDecl& Called, const Frame& In);

}  // namespace graphgen::check
