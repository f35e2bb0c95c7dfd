// SPDX-License-Identifier: Apache-2.0
//
// Down to what is asked of one member or variable: whether it is there, true, filled, or of a size.
#include "check/SettledConditions.h"

#include "check/StaticValues.h"
#include "check/code/DataReads.h"
#include "check/code/Reassigned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

namespace graphgen::check {
namespace {

constexpr unsigned MostConditionDepth = 16;

struct Comparison {
  clang::BinaryOperatorKind Kind;
  const clang::Expr *Left, *Right;
};

std::optional<Comparison> comparison(const clang::Expr& E) {
  std::optional<Comparison> Result;
  if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&E)) {
    Result = {Binary->getOpcode(), Binary->getLHS(), Binary->getRHS()};
  } else if (const auto* Rewritten = llvm::dyn_cast<clang::CXXRewrittenBinaryOperator>(&E)) {
    const clang::CXXRewrittenBinaryOperator::DecomposedForm Form = Rewritten->getDecomposedForm();
    Result = {Form.Opcode, Form.LHS, Form.RHS};
  } else if (const auto* Call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E); Call && Call->isComparisonOp()) {
    Result = {clang::BinaryOperator::getOverloadedOpcode(Call->getOperator()), Call->getArg(0), Call->getArg(1)};
  }
  return Result && clang::BinaryOperator::isComparisonOp(Result->Kind) && Result->Kind != clang::BO_Cmp ? Result : std::nullopt;
}

bool isNull(const clang::Expr& E) {
  return llvm::isa<clang::CXXNullPtrLiteralExpr>(withoutCasts(E)) || libraryClass(E.getType()) == "nullopt_t" ||
         libraryClass(originOf(E).getType()) == "nullopt_t";
}

/// `{}`, `std::vector<Tensor>()`
bool isEmptyList(const clang::Expr& Given) {
  const clang::Expr& E = withoutCasts(originOf(Given));
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  const auto* List = llvm::dyn_cast<clang::InitListExpr>(&E);
  return (Construction &&
          llvm::all_of(Construction->arguments(), [](const auto* Each) { return llvm::isa<clang::CXXDefaultArgExpr>(Each); })) ||
         (List && List->getNumInits() == 0) || llvm::isa<clang::CXXScalarValueInitExpr>(E);
}

std::optional<bool> truthOf(const clang::Expr& E, const clang::ASTContext& Context) {
  bool Truth = false;
  return !E.isValueDependent() && E.EvaluateAsBooleanCondition(Truth, Context) ? std::optional(Truth) : std::nullopt;
}

/// A method's name, and its object.
struct Asked {
  llvm::StringRef Name;
  const clang::Expr* Object = nullptr;
  const clang::CXXMemberCallExpr* Call = nullptr;

  explicit operator bool() const { return Object != nullptr; }
};

Asked asked(const clang::Expr& Given) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&withoutCasts(Given));
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  if (!Method) {
    return {};
  }
  const bool IsTruth = llvm::isa<clang::CXXConversionDecl>(Method) && Method->getReturnType()->isBooleanType();
  return {IsTruth ? "operator bool" : Method->getIdentifier() ? Method->getName() : "", Call->getImplicitObjectArgument(), Call};
}

bool asksForTensorsForm(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name).Cases({"size", "sizes", "numel", "dim", "device", "scalar_type", "dtype"}, true).Default(false);
}

bool isSizeOfList(const Asked& Its) { return Its && Its.Name == "size" && Its.Call->getNumArgs() == 0; }

/// What the second of the pair that E names was made by: `auto [it, fresh] = cache.try_emplace(n)`, `result.second`.
const clang::Expr* pairOf(const clang::Expr& E) {
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E)) {
    const bool IsSecond = Member->getMemberDecl()->getIdentifier() && Member->getMemberDecl()->getName() == "second";
    return IsSecond ? Member->getBase() : nullptr;
  }
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
  const auto* Binding = Name ? llvm::dyn_cast<clang::BindingDecl>(Name->getDecl()) : nullptr;
  const auto* Whole = Binding ? llvm::dyn_cast<clang::DecompositionDecl>(Binding->getDecomposedDecl()) : nullptr;
  return Whole && Whole->bindings().size() == 2 && Whole->bindings()[1] == Binding ? Whole->getInit() : nullptr;
}

/// The call that says by E whether it put something into a map or a set.
const clang::CXXMemberCallExpr* insertionOf(const clang::Expr& E) {
  const clang::Expr* Pair = pairOf(E);
  const Asked Made = Pair ? asked(originOf(*Pair)) : Asked();
  const bool IsInsertion = Made && llvm::is_contained({"emplace", "try_emplace", "insert"}, Made.Name) &&
                           libraryClass(Made.Call->getType()) == "pair" && Made.Call->getNumArgs() != 0;
  return IsInsertion && pathOf(*Made.Object).Named ? Made.Call : nullptr;
}

/// `n` of insert({n, value}), too.
const clang::Expr& keyOf(const clang::CXXMemberCallExpr& Insertion) {
  const clang::Expr& First = withoutCasts(*Insertion.getArg(0));
  const auto* List = llvm::dyn_cast<clang::InitListExpr>(&First);
  const auto* Pair = llvm::dyn_cast<clang::CXXConstructExpr>(&First);
  const bool IsPair = Pair && libraryClass(Pair->getType()) == "pair" && Pair->getNumArgs() == 2;
  return IsPair ? *Pair->getArg(0) : List && List->getNumInits() != 0 ? *List->getInit(0) : First;
}

class Question {
 public:
  Question(const BranchEffects& Effects, const Frame& In, const UnitIndex& Index, AnnotationsOfOne Annotations)
      : Effects(Effects), In(In), Index(Index), Annotations(Annotations), Context(In.Function->getASTContext()) {}

  bool isSettled(const clang::Expr& Given, bool Taken, unsigned Depth = 0) const {
    const clang::Expr& E = withoutCasts(Given);
    if (Depth > MostConditionDepth) {
      return false;
    }
    if (const auto* Not = llvm::dyn_cast<clang::UnaryOperator>(&E); Not && Not->getOpcode() == clang::UO_LNot) {
      return isSettled(*Not->getSubExpr(), !Taken, Depth + 1);
    }
    if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&E); Binary && Binary->isLogicalOp()) {
      const bool IsLeft = isSettled(*Binary->getLHS(), Taken, Depth + 1), IsRight = isSettled(*Binary->getRHS(), Taken, Depth + 1);
      return (Binary->getOpcode() == clang::BO_LAnd) == Taken ? IsLeft || IsRight : IsLeft && IsRight;
    }
    if (const clang::Expr* Made = initializerOf(E)) {
      return isSettled(*Made, Taken, Depth + 1);
    }
    if (const clang::CXXMemberCallExpr* Insertion = insertionOf(E)) {
      return Taken && isLeftAlone(pathOf(*Insertion->getImplicitObjectArgument())) && isStatic(keyOf(*Insertion));
    }
    if (const std::optional<Comparison> Compared = comparison(E)) {
      return isComparisonSettled(*Compared, Taken);
    }
    if (const Asked Its = asked(E)) {
      return isAnswerSettled(Its, Taken);
    }
    return E.getType()->isPointerType() ? !Taken && isMade(E) : E.getType()->isBooleanType() && isFlagSet(E, !Taken);
  }

 private:
  static const clang::Expr* initializerOf(const clang::Expr& E) {
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
    const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
    const bool IsKept = Variable && Variable->isLocalVarDecl() && !Variable->isStaticLocal() && !isReassigned(*Variable);
    return IsKept ? Variable->getInit() : nullptr;
  }

  bool isAnswerSettled(const Asked& Its, bool Taken) const {
    if (llvm::is_contained({"defined", "has_value", "operator bool"}, Its.Name)) {
      return !Taken && isMade(*Its.Object);
    }
    if (Its.Name == "empty" || Its.Name == "is_empty") {
      return Taken && (Its.Name == "empty" ? isFilled(*Its.Object) : isMade(*Its.Object));
    }
    return !Taken && (Its.Name == "count" || Its.Name == "contains") && isFilled(*Its.Object) && isKeyStatic(*Its.Call);
  }

  bool isComparisonSettled(const Comparison& Given, bool Taken) const {
    const clang::BinaryOperatorKind Kind = Taken ? Given.Kind : clang::BinaryOperator::negateComparisonOp(Given.Kind);
    return isSideSettled(Kind, *Given.Left, *Given.Right) ||
           isSideSettled(clang::BinaryOperator::reverseComparisonOp(Kind), *Given.Right, *Given.Left);
  }

  /// Of `Side Kind Other`, which is true where the branch is taken.
  bool isSideSettled(clang::BinaryOperatorKind Kind, const clang::Expr& Side, const clang::Expr& Other) const {
    if (Kind == clang::BO_EQ && isNull(Other)) {
      return isMade(Side);
    }
    if (Kind == clang::BO_EQ && isSearchWithoutResult(Side, Other)) {
      return isFilled(*asked(originOf(Side)).Object);
    }
    if (const Asked Its = asked(Side); Its && Its.Name == "count" && Kind == clang::BO_EQ && truthOf(Other, Context) == false) {
      return isAnswerSettled(Its, false);
    }
    if (const Asked Its = asked(Side); isSizeOfList(Its) && Kind == clang::BO_EQ && truthOf(Other, Context) == false) {
      return isFilled(*Its.Object);
    }
    if (const Asked Its = asked(Side), Wanted = asked(Other); isSizeOfList(Its) && isSizeOfList(Wanted)) {
      return isReachedForGood(Kind, Other) && isSet(*Its.Object, [&](const clang::Expr& Value) { return isSame(Value, *Wanted.Object); });
    }
    if (const Asked Its = asked(Side); Its && isTensor(Its.Object->getType())) {
      const bool IsForm = asksForTensorsForm(Its.Name) && asksForFormOnly(withoutCasts(Side));
      const bool IsEmpty =
          Kind == clang::BO_EQ && llvm::is_contained({"numel", "size", "dim"}, Its.Name) && truthOf(Other, Context) == false;
      return IsForm && (IsEmpty || isReachedForGood(Kind, Other)) && isMade(*Its.Object);
    }
    return isReachedForGood(Kind, Other) &&
           isSet(Side, [&](const clang::Expr& Value) { return Kind == clang::BO_NE ? isSame(Value, Other) : reaches(Value, Other); });
  }

  /// What is as large as `Other` stays so; what is `Other` itself, where it is the same in each call: sizes and keys may take turns.
  bool isReachedForGood(clang::BinaryOperatorKind Kind, const clang::Expr& Other) const {
    return Kind == clang::BO_NE ? isOneValue(Other, In, Index, Annotations) : Kind == clang::BO_LT && isStatic(Other);
  }

  /// `it == cache.end()`
  bool isSearchWithoutResult(const clang::Expr& Side, const clang::Expr& Other) const {
    const Asked Search = asked(originOf(Side)), End = asked(originOf(Other));
    return Search && End && Search.Name == "find" && (End.Name == "end" || End.Name == "cend") && isKeyStatic(*Search.Call) &&
           pathOf(*Search.Object).Named == pathOf(*End.Object).Named;
  }

  bool isKeyStatic(const clang::CXXMemberCallExpr& Search) const {
    return llvm::all_of(Search.arguments(), [&](const clang::Expr* Each) { return isStatic(*Each); });
  }

  bool isStatic(const clang::Expr& E) const { return isStaticValue(E, Index); }

  bool isFlagSet(const clang::Expr& Flag, bool To) const {
    return isSet(Flag, [&](const clang::Expr& Value) { return truthOf(Value, Context) == To; });
  }

  bool isMade(const clang::Expr& Named) const {
    return isSet(Named, [](const clang::Expr& Value) { return !isNull(Value); });
  }

  /// To such values only, and by nobody else.
  bool isSet(const clang::Expr& Named, llvm::function_ref<bool(const clang::Expr& Value)> IsSuch) const {
    const Path To = pathOf(Named);
    const Path Holder = To.Named ? To : pathToHolder(Named);
    bool IsAny = false;
    for (const BranchEffects::Set& Each : Effects.Sets) {
      const bool IsIt =
          To.Named ? mayBeOne(To, Each.To) && To.IsOnThis == Each.To.IsOnThis : Holder.Named && profileOf(*Each.Target) == profileOf(Named);
      if (IsIt && !IsSuch(*Each.Value)) {
        return false;
      }
      IsAny |= IsIt;
    }
    return IsAny && isLeftAlone(Holder);
  }

  /// Of what holds an element, or what a local reference shows, by keys that are the same in each call.
  Path pathToHolder(const clang::Expr& Given) const {
    const clang::Expr& E = shownBy(Given);
    const Element Its = elementOf(E);
    return !Its.Holder ? pathOf(E) : isStatic(*Its.Key) ? pathToHolder(*Its.Holder) : Path();
  }

  bool isFilled(const clang::Expr& Container) const {
    const Path To = pathOf(Container);
    const bool IsAny = To.Named && llvm::any_of(Effects.Fills, [&](const Path& Each) {
                         return Each.Named && mayBeOne(To, Each) && To.IsOnThis == Each.IsOnThis;
                       });
    return IsAny ? isLeftAlone(To) : isSet(Container, [](const clang::Expr& Value) { return !isEmptyList(Value); });
  }

  /// Outside of the branch.
  bool isLeftAlone(const Path& To) const {
    const auto IsOurs = [&](const StateWrite& Each) {
      return llvm::any_of(Effects.Sets, [&](const BranchEffects::Set& Set) { return Set.Where == Each.Where; });
    };
    const bool IsWritten = llvm::any_of(Index.writesTo(*To.Named), [&](const StateWrite& Each) {
      return Each.Writer && !llvm::isa<clang::CXXConstructorDecl>(Each.Writer) && mayBeOne(To, Each.To) && !IsOurs(Each);
    });
    return !IsWritten && llvm::none_of(Index.usesOf(*To.Named), [&](const StateUse& Each) { return takesAway(Each); });
  }

  bool takesAway(const StateUse& Use) const {
    const llvm::StringRef Name = Use.Called->getIdentifier() ? Use.Called->getName() : "";
    if (Name == "reset") {
      return Use.User != &patternOf(*In.Function) && (!Use.User || !Effects.Called.contains(Use.User));
    }
    return llvm::StringSwitch<bool>(Name).Cases({"clear", "erase", "extract", "swap", "exchange", "pop_back"}, true).Default(false);
  }

  /// `Other`, what a parameter is given for it, or its copy.
  bool isSame(const clang::Expr& Value, const clang::Expr& Other) const {
    const clang::Expr& Origin = originOf(Value);
    if (const Asked Copy = asked(Origin); Copy && Copy.Name == "vec") {
      return isSame(*Copy.Object, Other);
    }
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&withoutCasts(Origin));
    const auto* Parameter = Name ? llvm::dyn_cast<clang::ParmVarDecl>(Name->getDecl()) : nullptr;
    const bool IsOther = profileOf(Origin) == profileOf(originOf(Other));
    return IsOther || (Parameter && Effects.Called.contains(owner(*Parameter)) &&
                       llvm::any_of(Index.argumentsFor(*Parameter),
                                    [&](const clang::Expr* Each) { return profileOf(originOf(*Each)) == profileOf(originOf(Other)); }));
  }

  /// Whether Value is `Other` or more: `n`, `2 * n`, `std::max(n, 512)`.
  bool reaches(const clang::Expr& Value, const clang::Expr& Other) const {
    const clang::Expr& Origin = originOf(Value);
    const auto IsIt = [&](const clang::Expr* Each) { return reaches(*Each, Other); };
    if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&Origin)) {
      const bool Grows = Binary->getOpcode() == clang::BO_Add || Binary->getOpcode() == clang::BO_Mul;
      return Grows && (IsIt(Binary->getLHS()) || IsIt(Binary->getRHS()));
    }
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&Origin);
    const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
    const bool IsMaximum = Function && Function->getIdentifier() && Function->getName() == "max" && Function->isInStdNamespace();
    return isSame(Value, Other) || (IsMaximum && llvm::any_of(Call->arguments(), IsIt));
  }

  static const clang::FunctionDecl* owner(const clang::ParmVarDecl& Parameter) {
    const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Parameter.getDeclContext());
    return Function ? &patternOf(*Function) : nullptr;
  }

  llvm::FoldingSetNodeID profileOf(const clang::Expr& E) const {
    llvm::FoldingSetNodeID Result;
    withoutCasts(E).Profile(Result, Context, /*Canonical=*/true);
    return Result;
  }

  const BranchEffects& Effects;
  const Frame& In;
  const UnitIndex& Index;
  const AnnotationsOfOne Annotations;
  const clang::ASTContext& Context;
};

}  // namespace

bool isSettled(const clang::Expr& Condition, bool Taken, const BranchEffects& Effects, const Frame& In, const UnitIndex& Index,
               AnnotationsOfOne Annotations) {
  return Question(Effects, In, Index, Annotations).isSettled(Condition, Taken);
}

}  // namespace graphgen::check
