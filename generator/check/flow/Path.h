// SPDX-License-Identifier: Apache-2.0
//
// The place of a value: a variable or an object, and the way from there through fields, elements and pointers.
#pragma once

#include "clang/AST/Decl.h"

#include "llvm/ADT/FoldingSet.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace graphgen::check::flow {

enum class Root : uint8_t {
  Argument,  // of the annotated callable: Declared is its parameter
  Given,     // the same of an argument that is an object: it is there before and after the call
  Object,    // on which the annotated callable is called
  Global,    // Declared is a variable that outlives its function
  Local,     // Declared is a variable of the call
  Fresh,     // Made is an expression of the call
};

struct Step {
  enum class Kind : uint8_t { None, Field, Element, AnyElement, Pointee };

  Kind What = Kind::None;
  const clang::FieldDecl* Member = nullptr;
  int64_t Index = 0;    // of an Element; -1 of one of a map
  llvm::StringRef Key;  // of an Element of a map
};

/// There is one node for each place: pointers are equal where places are.
class PathNode : public llvm::FoldingSetNode {
 public:
  PathNode(const PathNode* Parent, Root From, const void* Where, Step Last, unsigned Id)
      : Parent(Parent), RootPath(Parent ? Parent->RootPath : this), From(From), Where(Where), Last(Last), Id(Id) {}

  const PathNode* parent() const { return Parent; }  // null of a root
  const PathNode* root() const { return RootPath; }
  Root from() const { return From; }
  const Step& last() const { return Last; }
  /// In the order in which paths were first asked for.
  unsigned id() const { return Id; }

  /// The root's variable, or null.
  const clang::ValueDecl* declared() const;
  /// The variable or field that is named last before, or null.
  const clang::ValueDecl* named() const;
  /// Whether it is there before and after each call of the annotated callable.
  bool outlivesCall() const { return From == Root::Object || From == Root::Given || From == Root::Global; }
  /// Whether the callable is given it.
  bool isOfArgument() const { return From == Root::Argument || From == Root::Given; }
  bool isOutside() const { return From != Root::Local && From != Root::Fresh; }
  bool isWithin(const PathNode& Other) const;
  /// Whether it is what a member or variable shows that is a reference.
  bool isOfReference() const;
  /// Whether it stands for one of several: `xs[i]`.
  bool isOneOfSeveral() const;

  void print(llvm::raw_ostream& Out) const;

  static void profile(llvm::FoldingSetNodeID& Id, const PathNode* Parent, Root From, const void* Where, const Step& Last);
  void Profile(llvm::FoldingSetNodeID& Id) const { profile(Id, Parent, From, Where, Last); }

 private:
  const PathNode* Parent;
  const PathNode* RootPath;
  Root From;
  const void* Where;  // a ValueDecl, or the Stmt of Fresh
  Step Last;
  unsigned Id;
};

using Path = const PathNode*;

class Paths {
 public:
  Path argument(const clang::ParmVarDecl& Parameter) { return of(nullptr, Root::Argument, &Parameter, {}); }
  /// What a parameter stands for where a call that is not seen gives it what outlives the annotated callable's call.
  Path kept(const clang::ParmVarDecl& Parameter) { return of(nullptr, Root::Global, &Parameter, {}); }
  Path given(const clang::ParmVarDecl& Parameter) { return of(nullptr, Root::Given, &Parameter, {}); }
  Path object() { return of(nullptr, Root::Object, nullptr, {}); }
  /// Of a variable: Global or Local.
  Path variable(const clang::VarDecl& Declared);
  /// Of the thread: whether gradients are recorded.
  Path gradMode() { return of(nullptr, Root::Global, nullptr, {}); }
  /// What the expression makes.
  Path fresh(const clang::Stmt& Made) { return of(nullptr, Root::Fresh, &Made, {}); }

  Path field(Path Of, const clang::FieldDecl& Member);
  Path element(Path Of, int64_t Index) { return of(Of, Of->from(), nullptr, {Step::Kind::Element, nullptr, Index, {}}); }
  /// Of a map.
  Path element(Path Of, llvm::StringRef Key) { return of(Of, Of->from(), nullptr, {Step::Kind::Element, nullptr, -1, Keys.save(Key)}); }
  Path anyElement(Path Of) { return of(Of, Of->from(), nullptr, {Step::Kind::AnyElement, nullptr, 0, {}}); }
  Path pointee(Path Of) { return of(Of, Of->from(), nullptr, {Step::Kind::Pointee, nullptr, 0, {}}); }
  /// The way that leads from `Old` to `Of`, from `New`.
  Path moved(Path Of, Path Old, Path New);

 private:
  Path of(Path Parent, Root From, const void* Where, const Step& Last);

  llvm::SpecificBumpPtrAllocator<PathNode> Nodes;
  llvm::FoldingSet<PathNode> Known;
  llvm::BumpPtrAllocator Texts;
  llvm::UniqueStringSaver Keys{Texts};
  unsigned Next = 0;
};

}  // namespace graphgen::check::flow
