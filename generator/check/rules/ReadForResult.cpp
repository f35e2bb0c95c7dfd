// SPDX-License-Identifier: Apache-2.0
//
// Asks each fact of the callable what it does with the number.
#include "check/rules/ReadForResult.h"

#include "check/code/Returned.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace graphgen::check {
namespace {

using flow::Fact;
using flow::Summary;
using flow::ValueRef;

bool hasNumbers(const annotation::Type& Type) {
  return annotation::isNumber(Type.Kind) ||
         llvm::any_of(Type.Members, [](const annotation::Member& Each) { return hasNumbers(Each.Type); });
}

class Use {
 public:
  explicit Use(const clang::Expr& Read) : Read(Read) {}

  /// Whether a body that runs, or one that it calls, decides by the number or computes with it.
  bool isIn(const Summary& Body) {
    return Seen.insert(&Body).second && llvm::any_of(Body.Facts, [&](const Fact& Each) { return isBy(Each); });
  }

  /// Another number that is computed from it.
  bool isComputed(ValueRef Known) const { return isOf(Known) && Known->IsComputed; }

 private:
  bool isOf(ValueRef Known) const { return Known && Known->Data == &Read; }

  bool isBy(const Fact& Its) {
    switch (Its.What) {
      case Fact::Kind::Branch:
      case Fact::Kind::Look:
      case Fact::Kind::Rebind:
        return isOf(Its.From);
      case Fact::Kind::Enter:
        return Its.Into && isIn(*Its.Into);
      case Fact::Kind::Call:
        return isByCall(Its);
      default:
        return false;
    }
  }

  bool isByCall(const Fact& Its) const {
    const bool IsGiven = isOf(Its.Object) || llvm::any_of(Its.Arguments, [&](ValueRef Each) { return isOf(Each); });
    if (!IsGiven || !Its.Function) {
      return IsGiven;
    }
    if (Its.Into || keepsArguments(*Its.Function)) {
      return llvm::any_of(Its.Arguments, [&](ValueRef Each) { return isComputed(Each); });
    }
    return !isConversion(*Its.Function);
  }

  const clang::Expr& Read;
  std::set<const Summary*> Seen;
};

}  // namespace

bool returnsNumbers(AnnotationsOfOne Annotations) {
  return llvm::any_of(Annotations, [](const scan::ScannedCallable* Each) { return hasNumbers(Each->Callable.Result); });
}

bool isReadForResult(const Occurrence& At) {
  const auto* Read = llvm::dyn_cast<clang::Expr>(At.Its.At);
  const bool IsItem = Read && At.Its.Operator && At.Its.Operator->Called && At.Its.Operator->Called->Name == "item";
  const Way* Whole = &At.In;
  for (; Whole->Caller; Whole = Whole->Caller) {
    if (Whole->Entered->IsBackward) {
      return false;
    }
  }
  if (!IsItem || !returnsNumbers(At.Annotations)) {
    return false;
  }
  Use Its(*Read);
  const Summary& Body = Whole->Of;
  if (Its.isIn(Body) || Its.isComputed(Body.Result) || !Body.Exit) {
    return false;
  }
  const auto IsComputed = [&](const auto& Each) { return Its.isComputed(Each.second); };
  const auto Held = [&](const flow::Target& Each) { return llvm::any_of(Body.Exit->within(Each.Of), IsComputed); };
  return !Body.Result || llvm::none_of(Body.Result->Targets, Held);
}

bool isReadAndDropped(const Occurrence& At) {
  if (!returnsNumbers(At.Annotations) || !At.Its.Function) {
    return false;
  }
  clang::ASTContext& Context = At.Its.Function->getASTContext();
  const clang::Stmt* Whole = At.Its.At;
  for (;;) {
    const auto Parents = Context.getParents(*Whole);
    const auto* Outer = Parents.size() == 1 ? Parents[0].get<clang::Stmt>() : nullptr;
    const auto* Cast = llvm::dyn_cast_if_present<clang::CastExpr>(Outer);
    if (llvm::isa_and_present<clang::ParenExpr, clang::FullExpr>(Outer) || (Cast && Cast->getCastKind() == clang::CK_ToVoid)) {
      Whole = Outer;
      continue;
    }
    const auto* Choice = llvm::dyn_cast_if_present<clang::IfStmt>(Outer);
    return llvm::isa_and_present<clang::CompoundStmt>(Outer) || (Choice && Choice->getCond() != Whole);
  }
}

}  // namespace graphgen::check
