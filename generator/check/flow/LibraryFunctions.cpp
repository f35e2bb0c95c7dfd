// SPDX-License-Identifier: Apache-2.0
//
// The standard library's functions that forward values.
#include "check/code/Classes.h"
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"

#include "clang/AST/ASTContext.h"

namespace graphgen::check::flow {
namespace {

/// Of a tuple or pair; null where it has no such part.
clang::QualType partType(clang::QualType Whole, unsigned Index) {
  const clang::CXXRecordDecl* Class = Whole->getAsCXXRecordDecl();
  if (kindOf(Whole) == TypeKind::Tuple) {
    return flow::elementOf(Whole, Index);
  }
  const bool HasPart = Class && Class->hasDefinition() && std::distance(Class->field_begin(), Class->field_end()) > Index;
  return HasPart ? std::next(Class->field_begin(), Index)->getType() : clang::QualType();
}

/// `Index` of `std::get<Index>(t)`, or of the part that has the type.
std::optional<int64_t> getIndex(const clang::FunctionDecl& Function, clang::QualType Whole) {
  const clang::TemplateArgumentList* Arguments = Function.getTemplateSpecializationArgs();
  const bool IsGet = Function.getIdentifier() && Function.getName() == "get" && Arguments && Arguments->size() != 0;
  if (IsGet && Arguments->get(0).getKind() == clang::TemplateArgument::Type) {
    const clang::QualType Wanted = Arguments->get(0).getAsType().getCanonicalType();
    constexpr unsigned MostParts = 16;
    for (unsigned Index = 0; Index < MostParts; ++Index) {
      const clang::QualType Part = partType(Whole, Index);
      if (Part.isNull() || Part.getCanonicalType() == Wanted) {
        return Part.isNull() ? std::nullopt : std::optional<int64_t>(Index);
      }
    }
  }
  return IsGet && Arguments->get(0).getKind() == clang::TemplateArgument::Integral
             ? std::optional(Arguments->get(0).getAsIntegral().getExtValue())
             : std::nullopt;
}

bool isOneOf(const clang::FunctionDecl& Function, llvm::ArrayRef<llvm::StringLiteral> Names) {
  return Function.getIdentifier() && llvm::is_contained(Names, Function.getName());
}

clang::QualType plainType(const clang::Expr& E) { return E.getType().getNonReferenceType(); }

/// What an assignment to `std::tie(a, b)` names, in parentheses or not.
const clang::CallExpr* tieIn(const clang::Expr& E) {
  const clang::Expr* Plain = E.IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(Plain);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  return Function && isOneOf(*Function, {"tie", "forward_as_tuple"}) ? Call : nullptr;
}

}  // namespace

/// Of a tuple or pair, of whose parts each may be a reference.
ValueRef BodyRun::partOf(ValueRef Whole, clang::QualType Type, unsigned Index) {
  if (isPair(Type)) {
    const clang::FieldDecl& Member = **std::next(Type->getAsCXXRecordDecl()->field_begin(), Index);
    const ValueRef Place = fieldOf(Whole, Member);
    return Member.getType()->isReferenceType() ? load(Place) : Place;
  }
  const ValueRef Place = step(Whole, [&](Path Each) { return All.Places.element(Each, Index); });
  const clang::QualType Part = kindOf(Type) == TypeKind::Tuple ? flow::elementOf(Type, Index) : clang::QualType();
  return !Part.isNull() && Part->isReferenceType() ? load(Place) : Place;
}

void BodyRun::assignPlace(const clang::Stmt& At, ValueRef To, clang::QualType Type, ValueRef FromPlace) {
  if (isLeaf(Type)) {
    assign(At, To, load(FromPlace));
    return;
  }
  const Path Given = FromPlace ? FromPlace->target() : nullptr;
  const bool IsEmpty = Given && !Given->isOutside() && Now.within(Given).size() == 1 && *Now.within(Given)[0].second == Value();
  tellRebind(At, To, IsEmpty ? All.Known.keep(Value::number(0)) : contentOf(FromPlace), nullptr);
  if (const Path Whole = To ? To->target() : nullptr) {
    copyObject(Whole, FromPlace);
  } else {
    forget(To);
  }
}

/// A tie may hold another one.
void BodyRun::assignTied(const clang::CallExpr& Tie, ValueRef To, ValueRef From, clang::QualType FromType) {
  for (unsigned Place = 0; Place < Tie.getNumArgs(); ++Place) {
    const clang::Expr& Part = *Tie.getArg(Place);
    const ValueRef PartPlace = partOf(To, plainType(Tie), Place);
    const ValueRef Given = partOf(From, FromType, Place);
    const clang::CallExpr* Inner = tieIn(Part);
    const clang::QualType GivenType = Inner ? partType(FromType, Place) : clang::QualType();
    if (!GivenType.isNull()) {
      assignTied(*Inner, PartPlace, Given, GivenType.getNonReferenceType());
    } else {
      assignPlace(Part, PartPlace, plainType(Part), Given);
    }
  }
}

/// Of an object of a library's class, from another one of it, or from what it holds.
void BodyRun::assignWhole(const Called& Its) {
  const clang::Expr& Given = *Its.Expressions[0];
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Its.At);
  const clang::Expr* To = Operator ? Operator->getArg(0) : nullptr;
  const clang::QualType Type = To ? plainType(*To) : clang::QualType();
  if (const clang::CallExpr* Tie = To ? tieIn(*To) : nullptr) {
    assignTied(*Tie, Its.Object, Its.Arguments[0], plainType(Given));
  } else if (!Type.isNull() && isLeaf(Type)) {
    const ValueRef New = seen(Given, Its.Arguments[0]);
    assign(Its.At, Its.Object, New ? New : All.Known.unknown());
  } else if (!Type.isNull() && kindOf(Type) == kindOf(plainType(Given))) {
    assignPlace(Its.At, Its.Object, Type, Its.Arguments[0]);
  } else {
    forget(Its.Object);
  }
}

void BodyRun::swap(const Called& Its, ValueRef PlaceA, const clang::Expr& B, ValueRef PlaceB) {
  if (isLeaf(plainType(B))) {
    const ValueRef Old = load(PlaceA);
    assign(Its.At, PlaceA, load(PlaceB), Its.Function);
    assign(B, PlaceB, Old, Its.Function);
    return;
  }
  tellRebind(Its.At, PlaceA, contentOf(PlaceB), Its.Function);
  tellRebind(B, PlaceB, contentOf(PlaceA), Its.Function);
  const Path Between = All.Places.fresh(B);
  copyObject(Between, PlaceA);
  if (PlaceA && PlaceA->target()) {
    copyObject(PlaceA->target(), PlaceB);
  }
  if (PlaceB && PlaceB->target()) {
    copyObject(PlaceB->target(), All.Known.keep(Value::to(Between)));
  }
}

ValueRef BodyRun::tupleOf(const Called& Its, const clang::Expr& E) {
  const Path Made = All.Places.fresh(E);
  Now.clear(Made);
  Now.set(Made, All.Known.keep(Value()));
  const bool IsShown = isOneOf(*Its.Function, {"tie", "forward_as_tuple"});
  const clang::CXXRecordDecl* Class = E.getType()->getAsCXXRecordDecl();
  const bool IsTuple = kindOf(E.getType()) == TypeKind::Tuple;
  for (unsigned Place = 0; Place < Its.Arguments.size(); ++Place) {
    const Path To = IsTuple ? All.Places.element(Made, Place) : All.Places.field(Made, **std::next(Class->field_begin(), Place));
    if (IsShown) {
      Now.set(To, Its.Arguments[Place] ? Its.Arguments[Place] : All.Known.unknown());
    } else {
      const clang::Expr& Given = *Its.Expressions[Place];
      put(To, plainType(Given), isLeaf(plainType(Given)) ? seen(Given, Its.Arguments[Place]) : Its.Arguments[Place]);
    }
  }
  return All.Known.keep(Value::to(Made));
}

/// What a map holds that is made of a list of pairs; false where it is made of something else.
bool BodyRun::holdPairs(Path Map, const Called& Its) {
  const clang::QualType Pair = flow::elementOf(Its.Expressions[0]->getType());
  const std::optional<unsigned> Count = lengthOf(Its.Arguments[0]);
  ValueRef Held = nullptr;
  for (unsigned Place = 0; isPair(Pair) && Place < Count.value_or(0); ++Place) {
    const Path Each = All.Places.element(Its.Arguments[0]->target(), Place);
    Held = All.Known.join(Held, load(partOf(All.Known.keep(Value::to(Each)), Pair, 1)));
  }
  if (Held) {
    Now.set(All.Places.anyElement(Map), Held);
  }
  return Held != nullptr;
}

/// Made of no argument, or, of a tensor, a number and the like, of another one.
ValueRef BodyRun::pointerToNew(const clang::Expr& E, const Called& Its) {
  const Path Made = All.Places.pointee(All.Places.fresh(E));
  Now.clear(Made);
  Value Whole;
  const clang::QualType Type = flow::pointeeOf(E.getType());
  if (const clang::CXXRecordDecl* Class = Type.isNull() ? nullptr : Type->getAsCXXRecordDecl()) {
    Whole.Classes = {Class};
  }
  Now.set(Made, All.Known.keep(std::move(Whole)));
  if (!Type.isNull() && isLeaf(Type) && Its.Arguments.size() == 1 && kindOf(plainType(*Its.Expressions[0])) == kindOf(Type)) {
    const ValueRef Given = seen(*Its.Expressions[0], Its.Arguments[0]);
    put(Made, Type, Given ? Given : All.Known.unknown());
  }
  return All.Known.keep(Value::to(Made));
}

std::optional<ValueRef> BodyRun::libraryFunction(const Called& Its) {
  const clang::FunctionDecl& Function = *Its.Function;
  const auto* E = llvm::dyn_cast<clang::Expr>(&Its.At);
  if (isOneOf(Function, {"move", "forward", "ref", "cref", "as_const", "addressof"}) && Its.Arguments.size() == 1) {
    return Its.Arguments[0];
  }
  if (const std::optional<int64_t> Index = getIndex(Function, Its.Arguments.empty() ? clang::QualType() : plainType(*Its.Expressions[0]));
      Index && Its.Arguments.size() == 1) {
    return partOf(Its.Arguments[0], plainType(*Its.Expressions[0]), static_cast<unsigned>(*Index));
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Its.At); Operator && Operator->isComparisonOp()) {
    Value Made = *computedFrom(Its);  // of iterators and of what may be there
    const bool IsKept = !Made.Sources.empty() && llvm::all_of(Made.Sources, [](Path Each) { return Each->outlivesCall(); });
    Made.How = IsKept ? Change::Settled : Made.How;
    return All.Known.keep(std::move(Made));
  }
  if (E && isOneOf(Function, {"make_tuple", "tie", "forward_as_tuple", "make_pair"})) {
    return tupleOf(Its, *E);
  }
  if (E && isOneOf(Function, {"make_shared", "make_unique"})) {
    return pointerToNew(*E, Its);
  }
  if (E && isOneOf(Function, {"back_inserter", "inserter"}) && !Its.Arguments.empty()) {
    assign(Its.At, anyElementOf(Its.Arguments[0]), All.Known.unknown(), &Function);
    return anyElementOf(Its.Arguments[0]);
  }
  if (isOneOf(Function, {"fill", "fill_n", "iota", "generate", "generate_n"}) && !Its.Arguments.empty()) {
    for (const Target& Each : Its.Arguments[0] ? llvm::ArrayRef<Target>(Its.Arguments[0]->Targets) : llvm::ArrayRef<Target>()) {
      if (Each.Of->parent() && Each.Of->last().What == Step::Kind::AnyElement) {
        Now.clear(Each.Of->parent());
        Now.set(Each.Of->parent(), All.Known.keep(Value()));
      }
    }
  }
  if (isOneOf(Function, {"swap"}) && Its.Arguments.size() == 2) {
    swap(Its, Its.Arguments[0], *Its.Expressions[1], Its.Arguments[1]);
    return nullptr;
  }
  if (isOneOf(Function, {"exchange"}) && Its.Arguments.size() == 2 && isLeaf(plainType(*Its.Expressions[0]))) {
    const ValueRef Old = load(Its.Arguments[0]);
    assign(Its.At, Its.Arguments[0], seen(*Its.Expressions[1], Its.Arguments[1]));
    return Old;
  }
  if (isOneOf(Function, {"invoke"}) && !Its.Arguments.empty()) {
    Called Inner{Its.At, nullptr, nullptr, {}, {Its.Arguments.begin() + 1, Its.Arguments.end()}};
    return followOne(Inner, bodiesIn(*Its.Expressions[0], Its.Arguments[0]));
  }
  if (isOneOf(Function, {"static_pointer_cast", "dynamic_pointer_cast"}) && Its.Arguments.size() == 1) {
    return seen(*Its.Expressions[0], Its.Arguments[0]);
  }
  return applyFunction(Its);
}

}  // namespace graphgen::check::flow
