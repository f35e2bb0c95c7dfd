// SPDX-License-Identifier: Apache-2.0
//
// Follows the members of the type, as the compiler has initialised them.
#include "scan/AggregateDefaults.h"

#include "scan/Defaults.h"
#include "scan/TypeReader.h"
#include "scan/Types.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/StringExtras.h"

namespace graphgen::scan {
namespace {

using clang::CXXConstructExpr;
using clang::Expr;
using clang::InitListExpr;
using clang::QualType;
using Text = std::optional<std::string>;

std::string classOf(QualType T) {
  const clang::CXXRecordDecl* Class = T->getAsCXXRecordDecl();
  return Class ? qualifiedName(*Class) : std::string();
}

bool isTuple(QualType T) { return llvm::is_contained({"std::tuple", "std::pair"}, classOf(T)); }

/// Without copies, moves and casts, and without conversions of a tuple to another.
const Expr* withoutCopies(const Expr* E) {
  while (true) {
    E = E->IgnoreUnlessSpelledInSource();
    const auto* Construction = llvm::dyn_cast<CXXConstructExpr>(E);
    if (const auto* Cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(E)) {
      E = Cast->getSubExpr();
    } else if (Construction && Construction->getNumArgs() == 1 &&
               (Construction->getConstructor()->isCopyOrMoveConstructor() ||
                (isTuple(Construction->getType()) && isTuple(Construction->getArg(0)->getType())))) {
      E = Construction->getArg(0);
    } else {
      return E;
    }
  }
}

Text braced(const std::vector<std::string>& Parts) { return "{" + llvm::join(Parts, ", ") + "}"; }

/// The arguments that a tuple's elements are made from, one by one.
std::optional<std::vector<const Expr*>> elementsOf(const Expr& Tuple) {
  const auto* Construction = llvm::dyn_cast<CXXConstructExpr>(&Tuple);
  if (Construction && isTuple(Construction->getType())) {
    return std::vector<const Expr*>(Construction->arg_begin(), Construction->arg_end());
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&Tuple);
  const clang::FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
  if (Callee && llvm::is_contained({"std::make_tuple", "std::make_pair"}, qualifiedName(*Callee))) {
    return std::vector<const Expr*>(Call->arg_begin(), Call->arg_end());
  }
  return std::nullopt;
}

Text tupleText(const clang::ASTContext& Context, QualType Type, const Expr& Value) {
  const std::vector<clang::TemplateArgument> Types = templateArguments(Type->getAsCXXRecordDecl());
  const std::optional<std::vector<const Expr*>> Elements = elementsOf(Value);
  if (!Elements || Elements->size() != Types.size() || Types.size() < 2) {
    return std::nullopt;
  }
  std::vector<std::string> Parts;
  for (const auto& [Each, Its] : llvm::zip_equal(*Elements, Types)) {
    Text Part = partText(Context, Its.getAsType(), *Each);
    if (!Part) {
      return std::nullopt;
    }
    Parts.push_back(*std::move(Part));
  }
  return braced(Parts);
}

/// The compiler gives the elements that no brace names, at the end.
Text arrayText(const clang::ASTContext& Context, QualType Type, const InitListExpr& Outer) {
  const auto* Inner = Outer.getNumInits() == 1 ? llvm::dyn_cast<InitListExpr>(Outer.getInit(0)) : nullptr;
  if (!Inner) {
    return std::nullopt;
  }
  std::vector<std::string> Parts;
  for (const Expr* Each : Inner->inits()) {
    if (llvm::isa<clang::ImplicitValueInitExpr>(Each)) {
      break;
    }
    Text Part = partText(Context, elementType(Type), *Each);
    if (!Part) {
      return std::nullopt;
    }
    Parts.push_back(*std::move(Part));
  }
  return braced(Parts);
}

/// Members that no brace names keep their own initialisers: they are at the end.
Text structText(const clang::ASTContext& Context, const clang::CXXRecordDecl& Class, const InitListExpr& Braces) {
  if (Class.getNumBases() != 0) {
    return std::nullopt;
  }
  std::vector<std::string> Parts;
  bool IsAtEnd = false;
  for (const auto& [Field, Each] : llvm::zip(Class.fields(), Braces.inits())) {
    const bool IsItsOwn = llvm::isa<clang::CXXDefaultInitExpr, clang::ImplicitValueInitExpr>(Each);
    if (!IsItsOwn && IsAtEnd) {
      return std::nullopt;
    }
    IsAtEnd |= IsItsOwn;
    Text Part = IsAtEnd ? Text("") : partText(Context, Field->getType(), *Each);
    if (!Part) {
      return std::nullopt;
    }
    if (!IsAtEnd) {
      Parts.push_back(*std::move(Part));
    }
  }
  return braced(Parts);
}

}  // namespace

Text partText(const clang::ASTContext& Context, QualType Declared, const Expr& Value) {
  const QualType T = Declared.getCanonicalType().getUnqualifiedType();
  const std::string Class = classOf(T);
  if (isTuple(T) || Class == "std::array") {
    return aggregateText(Context, T, Value);
  }
  if (isKeyType(T)) {
    return valueText(Context, T, Value);
  }
  if (Class == "std::optional") {
    return optionalPartText(T, Value);
  }
  if (Text Empty = emptyText(T, Value)) {
    return Empty;
  }
  const clang::CXXRecordDecl* Record = T->getAsCXXRecordDecl();
  return Record && !Record->isInStdNamespace() && Record->hasDefinition() && Record->isAggregate() ? aggregateText(Context, T, Value)
                                                                                                   : std::nullopt;
}

Text aggregateText(const clang::ASTContext& Context, QualType Type, const Expr& Value) {
  const QualType T = Type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  const Expr* E = withoutCopies(&Value);
  const auto* Braces = llvm::dyn_cast<InitListExpr>(E);
  const auto* Construction = llvm::dyn_cast<CXXConstructExpr>(E);
  const InitListExpr* Written = Braces && Braces->isSemanticForm() && Braces->getSyntacticForm() ? Braces->getSyntacticForm() : Braces;
  const bool IsEmpty = Construction ? Construction->getNumArgs() == 0 : Written && Written->getNumInits() == 0;
  if (IsEmpty || llvm::isa<clang::CXXScalarValueInitExpr>(E)) {
    return "{}";
  }
  if (isTuple(T)) {
    return tupleText(Context, T, *E);
  }
  if (!Braces) {
    return std::nullopt;
  }
  const InitListExpr& Inits = Braces->isSemanticForm() || !Braces->getSemanticForm() ? *Braces : *Braces->getSemanticForm();
  return classOf(T) == "std::array" ? arrayText(Context, T, Inits) : structText(Context, *T->getAsCXXRecordDecl(), Inits);
}

Text optionalPartText(QualType Type, const Expr& Value) {
  if (Text Empty = emptyText(Type, Value)) {
    return Empty;
  }
  const QualType Held = elementType(Type.getNonReferenceType());
  const Expr* E = &Value;
  while (!llvm::isa<CXXConstructExpr>(E) || classOf(E->getType()) == "std::optional") {
    const Expr* Before = E;
    E = E->IgnoreUnlessSpelledInSource();
    const auto* Construction = llvm::dyn_cast<CXXConstructExpr>(E);
    if (Construction && classOf(E->getType()) == "std::optional" && Construction->getNumArgs() >= 1) {
      E = Construction->getArg(0);
    } else if (E == Before) {
      break;
    }
  }
  // An optional that holds an undefined tensor is another value than an empty one.
  return classOf(Held) == "at::Tensor" && emptyText(Held, *E) ? Text("at::Tensor()") : std::nullopt;
}

}  // namespace graphgen::scan
