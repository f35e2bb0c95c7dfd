// SPDX-License-Identifier: Apache-2.0
//
// What holds values and gives access to them: containers, pointers, tuples, functions. One row a method; names that mean the same share
// one.
#include "check/code/Classes.h"
#include "check/code/Library.h"
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"
#include "check/torch/Overlay.h"

#include "clang/AST/ASTContext.h"

#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check::flow {
namespace {

/// What a method of a container or pointer gives, or does.
enum class Act {
  None,
  Element,  // the one at the index, or of the key
  Any,      // one of several
  First,    // the first of several
  Pointee,  // what it leads to, or holds
  Self,     // the object
  Add,      // the last argument is one more element
  Replace,  // the argument is what it leads to from now on
  Shrink,   // one element less
  Update,   // a number is computed from the old one and the arguments
  Set,      // the argument is the number from now on
  Get,      // the number
  Clear,    // no element, nothing to lead to
  Size,     // a number that its length decides
};

Act numberActOf(llvm::StringRef Name, clang::OverloadedOperatorKind Operator) {
  switch (Operator) {
    case clang::OO_PlusPlus:
    case clang::OO_MinusMinus:
    case clang::OO_PlusEqual:
    case clang::OO_MinusEqual:
      return Act::Update;
    default:
      return llvm::StringSwitch<Act>(Name)
          .Cases({"fetch_add", "fetch_sub", "push_back", "pop_back", "append", "insert", "erase"}, Act::Update)
          .Cases({"store", "exchange", "compare_exchange_weak", "compare_exchange_strong"}, Act::Set)
          .Case("load", Act::Get)
          .Default(Act::None);
  }
}

Act actOf(llvm::StringRef Name, clang::OverloadedOperatorKind Operator, TypeKind Kind) {
  const bool HasElements = Kind == TypeKind::Sequence || Kind == TypeKind::Map;
  if (Kind == TypeKind::Number) {
    return numberActOf(Name, Operator);
  }
  switch (Operator) {
    case clang::OO_Subscript:
      return HasElements ? Act::Element : Act::Pointee;
    case clang::OO_Star:
    case clang::OO_Arrow:
      return Act::Pointee;
    case clang::OO_PlusPlus:
    case clang::OO_MinusMinus:
    case clang::OO_PlusEqual:
      return Kind == TypeKind::Pointer ? Act::Self : Act::None;
    default:
      break;
  }
  if (HasElements) {
    return llvm::StringSwitch<Act>(Name)
        .Cases({"at", "get"}, Act::Element)
        .Case("front", Act::First)
        .Cases({"back", "begin", "end", "cbegin", "cend", "rbegin", "rend", "data", "find"}, Act::Any)
        .Cases(
            {"push_back", "emplace_back", "push_front", "emplace_front", "insert", "emplace", "insert_or_assign", "try_emplace", "append"},
            Act::Add)
        .Cases({"vec", "toVec", "slice"}, Act::Self)
        .Cases({"push"}, Act::Add)
        .Cases({"erase", "pop", "pop_back", "pop_front"}, Act::Shrink)
        .Cases({"clear", "assign"}, Act::Clear)
        .Cases({"size", "empty", "count", "contains"}, Act::Size)
        .Default(Act::None);
  }
  if (Kind == TypeKind::Pointer || Kind == TypeKind::Optional || Kind == TypeKind::Tensor) {
    return llvm::StringSwitch<Act>(Name)
        .Cases({"get", "value", "lock", "ptr"}, Kind == TypeKind::Pointer ? Act::Self : Act::Pointee)
        .Case("value_or", Act::Pointee)
        .Cases({"reset", "emplace"}, Act::Replace)
        .Cases({"has_value", "operator bool", "is_empty"}, Act::Size)
        .Default(Act::None);
  }
  return Act::None;
}

/// Made from one element, it holds this.
bool holdsOne(clang::QualType Type) {
  return kindOf(elementOf(Type)) == TypeKind::Tensor || llvm::is_contained({"ArrayRef", "TensorDataContainer"}, libraryClass(Type));
}

/// `forward` of the module that a holder calls.
const clang::CXXMethodDecl* forwardOf(const clang::CXXMethodDecl& Called, clang::QualType Holder) {
  const clang::QualType Held = pointeeOf(Holder);
  const clang::CXXRecordDecl* Class = Held.isNull() ? nullptr : Held->getAsCXXRecordDecl();
  if (Called.getOverloadedOperator() != clang::OO_Call || !Class || !Class->hasDefinition()) {
    return nullptr;
  }
  return forwardIn(*Class);
}

/// As it is written: a method of `std::shared_ptr` may be its base's.
clang::QualType typeOfObject(const clang::Stmt& Call, const clang::CXXMethodDecl& Method) {
  const auto* Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call);
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
  const clang::Expr* On = Member ? Member->getImplicitObjectArgument() : Operator ? Operator->getArg(0) : nullptr;
  clang::QualType Type = On ? On->IgnoreParenImpCasts()->getType() : clang::QualType();
  Type = !Type.isNull() && Type->isPointerType() ? Type->getPointeeType() : Type;
  const bool IsKnown = !Type.isNull() && kindOf(Type) != TypeKind::Record && Type->isRecordType();
  return IsKnown ? Type : Method.getASTContext().getCanonicalTagType(Method.getParent());
}

}  // namespace

std::optional<ValueRef> BodyRun::libraryCall(const Called& Its) {
  const clang::FunctionDecl& Function = *Its.Function;
  const auto* E = llvm::dyn_cast<clang::Expr>(&Its.At);
  if (const ValueRef Said = isOfLibrary(Function) ? optionsCall(Its) : nullptr) {
    return Said;
  }
  if (const std::optional<ValueRef> Known = E ? overlaidCall(*E, Its) : std::nullopt) {
    return Known;
  }
  if (!isOfLibrary(Function)) {
    return std::nullopt;
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  if (!Method || !Method->isInstance() || !Its.Object) {
    return libraryFunction(Its);
  }
  const clang::QualType Type = typeOfObject(Its.At, *Method);
  const TypeKind Kind = kindOf(Type);
  if (Kind == TypeKind::Function && Method->getOverloadedOperator() == clang::OO_Call) {
    const clang::Expr& Function = *llvm::cast<clang::CallExpr>(Its.At).getArg(0);
    tellRead(Function, Its.Object);
    return callHeld(Its, Function, Its.Object);
  }
  if (Method->getOverloadedOperator() == clang::OO_Equal && Its.Arguments.size() == 1) {
    assignWhole(Its);
    return Its.Object;
  }
  const bool IsTruth = llvm::isa<clang::CXXConversionDecl>(Method) && Method->getReturnType()->isBooleanType();
  const llvm::StringRef Name = Method->getIdentifier() ? Method->getName() : IsTruth ? "operator bool" : "";
  const Act What = actOf(Name, Method->getOverloadedOperator(), Kind);
  const bool GivesNumber = E && kindOf(E->getType()) == TypeKind::Number && !E->isGLValue();
  if (Kind == TypeKind::Number && GivesNumber && (What == Act::None || What == Act::Get)) {
    if (const auto* Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(E)) {
      tellRead(*Member->getImplicitObjectArgument(), Its.Object);
    }
    const ValueRef Number = Its.Object->Targets.empty() ? Its.Object : load(Its.Object);
    return Name.starts_with("to") ? converted(Number) : computed({Number});
  }
  if (Name == "swap" && Its.Arguments.size() == 1) {
    swap(Its, Its.Object, *Its.Expressions[0], Its.Arguments[0]);
    return nullptr;
  }
  if (const std::optional<ValueRef> Known = moduleCall(Its, *Method)) {
    return *Known;
  }
  if (const clang::CXXMethodDecl* Forward = Kind == TypeKind::Pointer ? forwardOf(*Method, Type) : nullptr) {
    Called Inner{Its.At, Forward, load(Its.Object), Its.Expressions, Its.Arguments};
    return perform(Inner);
  }
  if (Kind == TypeKind::Number && (llvm::isa<clang::CXXConversionDecl>(Method) || Name == "stream")) {
    return Its.Object->Targets.empty() ? Its.Object : load(Its.Object);
  }
  // A pointer's own value is where it leads; a container, a tuple and an optional are the place themselves.
  const bool IsPointer = Kind == TypeKind::Pointer;
  const auto Held = [&] { return IsPointer ? (Its.Object->Targets.empty() ? Its.Object : load(Its.Object)) : Its.Object; };
  if (libraryClass(Type) == "reference_wrapper") {
    return Held();
  }
  switch (What) {
    case Act::Element:
      if (const ValueRef Keyed = Kind == TypeKind::Map ? keyedElement(Its) : nullptr) {
        return Keyed;
      }
      return elementOf(Its.Object, Kind == TypeKind::Map || Its.Arguments.empty() ? nullptr : Its.Arguments[0]);
    case Act::First:
      return elementOf(Its.Object, All.Known.keep(Value::number(0)));
    case Act::Any:
      if (const ValueRef Keyed = Kind == TypeKind::Map && Name == "find" ? keyedElement(Its) : nullptr) {
        return Keyed;
      }
      return anyElementOf(Its.Object);
    case Act::Pointee: {
      const ValueRef Place = IsPointer ? Held() : Kind == TypeKind::Tensor ? Its.Object : pointeeOf(Its.Object);
      if (const auto* Member = GivesNumber ? llvm::dyn_cast<clang::CXXMemberCallExpr>(E) : nullptr) {
        tellRead(*Member->getImplicitObjectArgument(), Place);
        return load(Place);
      }
      return Place;
    }
    case Act::Self:
      return IsPointer && E && !E->isGLValue() ? Held() : Its.Object;
    case Act::Add:
      if (Its.Arguments.size() > (Name == "try_emplace" ? 1 : 0)) {  // else a key alone
        const clang::Expr& Last = *Its.Expressions.back();
        const ValueRef Given = Its.Arguments.back();
        const bool IsPair = Kind == TypeKind::Map && isPair(Last.getType());
        const ValueRef New = IsPair                                       ? load(partOf(Given, Last.getType(), 1))
                             : isLeaf(Last.getType()) && Last.isGLValue() ? load(Given)
                                                                          : Given;
        assign(Its.At, anyElementOf(Its.Object), New ? New : All.Known.unknown(), Its.Function);
      }
      return E ? insertion(*E, Its) : nullptr;
    case Act::Replace:
      if (isLeaf(Type) && Its.Arguments.size() == 1) {
        const ValueRef New = seen(*Its.Expressions[0], Its.Arguments[0]);
        assign(Its.At, Its.Object, New ? New : All.Known.unknown(), Its.Function);
      } else {
        tellRebind(Its.At, Its.Object, Its.Arguments.empty() ? nullptr : All.Known.unknown(), Its.Function);
        forget(Its.Object);
      }
      return nullptr;
    case Act::Shrink:
      tellRebind(Its.At, anyElementOf(Its.Object), nullptr, Its.Function);
      return nullptr;
    case Act::Update: {
      std::vector<ValueRef> From = {load(Its.Object)};
      llvm::append_range(From, Its.Arguments);
      assign(Its.At, Its.Object, computed(From));
      return E && E->isGLValue() ? Its.Object : computed(From);
    }
    case Act::Set:
      assign(Its.At, Its.Object, Its.Arguments.empty() ? All.Known.unknown() : computed(Its.Arguments));
      return nullptr;
    case Act::Get:
      return load(Its.Object);
    case Act::Clear:
      if (Its.Object->target()) {
        Now.clear(Its.Object->target());
        Now.set(Its.Object->target(), All.Known.keep(Value()));
      }
      return nullptr;
    case Act::Size:
      if (const std::optional<int64_t> Count = countOf(Its.Object); Count && llvm::is_contained({"size", "empty"}, Name)) {
        return All.Known.keep(Value::number(Name == "size" ? *Count : *Count == 0, Change::PerKey));
      }
      return sizeOf(Its.Object, llvm::is_contained({"has_value", "operator bool", "contains"}, Name) ? Asks::IsThere
                                : llvm::is_contained({"empty", "is_empty"}, Name)                    ? Asks::IsMissing
                                                                                                     : Asks::Nothing);
    case Act::None:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Of a map that is an argument, by a key that the source has as a literal; null where it is another one.
ValueRef BodyRun::keyedElement(const Called& Its) {
  const Path Map = Its.Object->target();
  const auto* Key =
      Its.Expressions.empty() ? nullptr : llvm::dyn_cast<clang::StringLiteral>(Its.Expressions[0]->IgnoreUnlessSpelledInSource());
  if (!Map || Map->from() != Root::Argument || !Key || Key->getCharByteWidth() != 1) {
    return nullptr;
  }
  return step(Its.Object, [&](Path Each) { return All.Places.element(Each, Key->getString()); });
}

/// Of a map the element, and whether it is a new one.
ValueRef BodyRun::insertion(const clang::Expr& E, const Called& Its) {
  const ValueRef Whole = Its.Object;
  if (!isPair(E.getType())) {
    return anyElementOf(Whole);
  }
  const clang::CXXRecordDecl* Class = E.getType()->getAsCXXRecordDecl();
  const Path Made = All.Places.fresh(E);
  Now.clear(Made);
  Now.set(Made, All.Known.keep(Value()));
  Now.set(All.Places.field(Made, **Class->field_begin()), anyElementOf(Whole));
  Value IsNew = *sizeOf(Whole, Asks::WasMissing);
  const ValueRef Key = computedFrom(Its);
  llvm::copy_if(Key->Sources, std::back_inserter(IsNew.Sources), [&](Path Each) { return !llvm::is_contained(IsNew.Sources, Each); });
  Now.set(All.Places.field(Made, **std::next(Class->field_begin())), All.Known.keep(std::move(IsNew)));
  return All.Known.keep(Value::to(Made));
}

/// Of a list that is an argument, or a copy of one.
std::optional<int64_t> BodyRun::countOf(ValueRef Whole) {
  const Path List = Whole ? Whole->target() : nullptr;
  const ValueRef Itself = List ? Now.at(List) : nullptr;
  const Path Given = Itself ? Itself->Unset : List;
  const bool IsAsGiven = Given && Given->from() == Root::Argument && Now.within(List).size() == (Itself ? 1 : 0);
  return IsAsGiven ? All.countOf(Given) : std::nullopt;
}

/// Of what outlives the call, and has not been made again by it, as earlier calls left it.
ValueRef BodyRun::sizeOf(ValueRef Whole, Asks For) {
  Value Made;
  Made.For = For;
  Made.How = Change::Never;
  for (const Target& Each : Whole ? llvm::ArrayRef<Target>(Whole->Targets) : llvm::ArrayRef<Target>()) {
    if (Each.Of->outlivesCall() && !Now.at(Each.Of)) {
      Made.How = Change::Settled;
      Made.Sources.push_back(Each.Of);
    }
  }
  return All.Known.keep(std::move(Made));
}

std::optional<ValueRef> BodyRun::libraryConstruction(const clang::CXXConstructExpr& E, const Called& Its) {
  if (!isOfLibrary(*E.getConstructor()->getParent()) && kindOf(E.getType()) == TypeKind::Record) {
    return std::nullopt;
  }
  const TypeKind Kind = kindOf(E.getType());
  const auto Given = [&](unsigned Place) {
    const clang::Expr& Each = *Its.Expressions[Place];
    return Each.isGLValue() && isLeaf(Each.getType()) ? load(Its.Arguments[Place]) : Its.Arguments[Place];
  };
  const auto Count = llvm::count_if(Its.Expressions, [](const clang::Expr* Each) { return !llvm::isa<clang::CXXDefaultArgExpr>(Each); });
  if (Kind == TypeKind::Function) {
    Value Made;
    if (Count != 0) {
      const clang::Expr& From = *Its.Expressions[0];
      if (kindOf(From.getType()) == TypeKind::Function) {
        Made = Given(0) ? *Given(0) : Value::unknown();
      } else {
        for (const Body& Each : bodiesIn(From, Its.Arguments[0])) {
          Made.Callables.push_back({Each.Function, Each.Object ? Each.Object->target() : nullptr});
        }
        Kept.emplace_back(&From, Its.Arguments[0]);
      }
    }
    return All.Known.keep(std::move(Made));
  }
  if (isGradGuard(E.getType())) {
    const Path Made = All.Places.fresh(E);
    Now.set(Made, read(All.Places.gradMode()));  // what its destructor sets again
    const ValueRef Asked = libraryClass(E.getType()) == "AutoGradMode" && Count != 0 ? Its.Arguments[0] : nullptr;
    Now.set(All.Places.gradMode(), Asked ? Asked : All.Known.keep(Value::number(0)));
    return All.Known.keep(Value::to(Made));
  }
  if (isModuleHolder(E.getType())) {
    Value Module = Value::unknown();
    Module.Made = &E;
    return All.Known.keep(std::move(Module));
  }
  if (isLeaf(E.getType())) {
    if (Count == 1 && kindOf(Its.Expressions[0]->getType()) == Kind) {
      return Given(0);
    }
    if (Kind == TypeKind::Tensor && Count == 1) {  // an index: a number, or a slice
      const clang::QualType Type = Its.Expressions[0]->getType();
      const ValueRef Index = seen(*Its.Expressions[0], Its.Arguments[0]);
      const bool IsNumber = Type.getNonReferenceType()->isIntegerType();
      if (Type.getNonReferenceType()->isBooleanType()) {  // a tensor of places
        Value Places;
        Places.Type = annotation::DType::I64;
        return All.Known.keep(std::move(Places));
      }
      return IsNumber ? computed({}, Index ? Index->Number : std::nullopt) : All.Known.keep(Value());
    }
    return Count == 0 ? All.Known.keep(Value()) : Kind == TypeKind::Number ? computed(Its.Arguments) : All.Known.unknown();
  }
  const Path Made = All.Places.fresh(E);
  Now.clear(Made);
  Now.set(Made, All.Known.keep(Value()));
  const ValueRef Whole = All.Known.keep(Value::to(Made));
  if (Kind == TypeKind::Tuple) {
    for (unsigned Place = 0; Place < Count; ++Place) {
      Now.set(All.Places.element(Made, Place), Given(Place) ? Given(Place) : All.Known.unknown());
    }
  } else if (Kind == TypeKind::Record && isPair(E.getType())) {
    auto Member = E.getType()->getAsCXXRecordDecl()->field_begin();
    for (unsigned Place = 0; Place < Count && Place < 2; ++Place, ++Member) {
      put(All.Places.field(Made, **Member), Member->getType(), Given(Place));
    }
  } else if (Kind == TypeKind::Optional && Count == 1) {
    put(All.Places.pointee(Made), Its.Expressions[0]->getType().getNonReferenceType(), Given(0));
  } else if (Kind == TypeKind::Sequence && Count >= 1 && kindOf(Its.Expressions[0]->getType()) == TypeKind::Sequence) {
    copyObject(Made, Its.Arguments[0]);
  } else if (Kind == TypeKind::Sequence && Count == 1 && isLeaf(Its.Expressions[0]->getType()) && holdsOne(E.getType())) {
    Now.set(All.Places.element(Made, 0), Given(0) ? Given(0) : All.Known.unknown());
  } else if (Count != 0 && !(Kind == TypeKind::Map && holdPairs(Made, Its))) {
    Now.set(Made, All.Known.unknown());
  }
  return Whole;
}

}  // namespace graphgen::check::flow
