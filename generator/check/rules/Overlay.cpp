// SPDX-License-Identifier: Apache-2.0
//
// The rows of the overlay: most rules are nothing but these.
#include "check/torch/Overlay.h"

#include "annotation/Words.h"
#include "check/flow/Types.h"
#include "check/rules/ReadForResult.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"

#include "check/code/Classes.h"
#include "check/code/Library.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace graphgen::check {
namespace {

using flow::ValueRef;

/// How a program may spell what is given, where it is known.
bool isSpelled(const Occurrence& At, const clang::Expr* E, ValueRef Known, llvm::StringRef Word) {
  int64_t Number = 0;
  if (Known && Known->Number && !Word.getAsInteger(10, Number)) {
    return *Known->Number == Number;
  }
  if (Known && Known->Number && (Word == "true" || Word == "false")) {
    return (*Known->Number != 0) == (Word == "true");
  }
  if (Known && Known->Number && Word.consume_front("<") && !Word.getAsInteger(10, Number)) {
    return *Known->Number < Number;
  }
  if (Word == "cpu" && Known && Known->On == flow::Device::Host) {
    return true;
  }
  const clang::Expr* Plain = E ? E->IgnoreUnlessSpelledInSource() : nullptr;
  clang::Expr::EvalResult Constant;
  if (!Word.getAsInteger(10, Number) && Plain && Plain->getType()->isArithmeticType() && !Plain->isValueDependent() &&
      Plain->EvaluateAsRValue(Constant, At.Its.Function->getASTContext())) {
    return (Constant.Val.isInt() && Constant.Val.getInt() == Number) ||
           (Constant.Val.isFloat() && Constant.Val.getFloat().isExactlyValue(static_cast<double>(Number)));
  }
  if (const auto* Text = llvm::dyn_cast_if_present<clang::StringLiteral>(Plain)) {
    return Text->getString() == Word;
  }
  const auto* Name = llvm::dyn_cast_if_present<clang::DeclRefExpr>(Plain);
  return Name && Name->getDecl()->getIdentifier() &&
         (Name->getDecl()->getName() == Word || Name->getDecl()->getName().equals_insensitive(("k" + Word).str()));
}

bool isOneOf(const Occurrence& At, const clang::Expr* E, ValueRef Known, llvm::StringRef Words) {
  return llvm::any_of(llvm::split(Words, '|'), [&](llvm::StringRef Each) { return isSpelled(At, E, Known, Each); });
}

bool isOfClass(const clang::Expr* E, llvm::StringRef Name) {
  clang::QualType Type = E ? E->getType() : clang::QualType();
  const bool IsList = E && flow::kindOf(Type) == flow::TypeKind::Sequence && flow::kindOf(flow::elementOf(Type)) == flow::TypeKind::Tensor;
  Type = IsList ? flow::elementOf(Type) : Type;
  const clang::CXXRecordDecl* Class = E ? Type.getNonReferenceType()->getAsCXXRecordDecl() : nullptr;
  if (!Class || !Class->hasDefinition()) {
    return false;
  }
  const auto Is = [&](const clang::CXXRecordDecl* Each) { return Each->getQualifiedNameAsString() == Name; };
  return Is(Class) || !Class->forallBases([&](const clang::CXXRecordDecl* Each) { return !Is(Each); });
}

/// Of an argument the gradient is asked for.
bool hasGradient(const Occurrence& At) {
  const auto IsMarked = [](flow::Path Each) { return Each->from() == flow::Root::Argument; };
  const auto IsAsked = [&](ValueRef Each) { return Each && llvm::any_of(Each->Differentiable, IsMarked); };
  return IsAsked(At.Its.Object) || llvm::any_of(At.Its.Arguments, IsAsked);
}

bool outlives(ValueRef Known) {
  return Known && llvm::any_of(Known->Targets, [](const flow::Target& Each) { return Each.Of->outlivesCall(); });
}

bool isMarked(const flow::PathNode& Of, annotation::Flag Flag, AnnotationsOfOne Annotations) {
  return Of.from() == flow::Root::Argument && isFlagged(Of, Flag, Annotations);
}

bool isCopied(const flow::PathNode& Of, AnnotationsOfOne Annotations) {
  return Of.from() == flow::Root::Argument && !isFlagged(Of, annotation::Flag::Static, Annotations);
}

/// Arguments that are written share memory with no other, and those with gradients are one copy where they are one tensor.
bool areApart(const flow::PathNode& One, const flow::PathNode& Other, AnnotationsOfOne Annotations) {
  using annotation::Flag;
  const auto Are = [&](Flag Its) { return isMarked(One, Its, Annotations) && isMarked(Other, Its, Annotations); };
  const bool IsGuarded = isMarked(One, Flag::Inplace, Annotations) || isMarked(Other, Flag::Inplace, Annotations) || Are(Flag::Grad);
  return &One != &Other && One.isOutside() && Other.isOutside() && !IsGuarded &&
         (isCopied(One, Annotations) || isCopied(Other, Annotations));
}

bool areApart(ValueRef One, ValueRef Other, AnnotationsOfOne Annotations) {
  return One && Other && llvm::any_of(One->Targets, [&](const flow::Target& A) {
           return llvm::any_of(Other->Targets, [&](const flow::Target& B) { return areApart(*A.Of, *B.Of, Annotations); });
         });
}

bool includesOptimizers(clang::ASTContext& Context) {
  const auto Within = [&](const clang::DeclContext& In, llvm::StringRef Name) -> const clang::NamespaceDecl* {
    const auto Found = In.lookup(&Context.Idents.get(Name));
    return Found.empty() ? nullptr : llvm::dyn_cast<clang::NamespaceDecl>(Found.front());
  };
  const clang::NamespaceDecl* Runtime = Within(*Context.getTranslationUnitDecl(), "graphed");
  return Runtime && Within(*Runtime, "optim");
}

const clang::Expr* outerOf(const clang::Stmt& E, const Occurrence& At) {
  const auto Parents = At.Its.Function->getASTContext().getParents(E);
  return Parents.size() == 1 ? Parents[0].get<clang::Expr>() : nullptr;
}

/// The object of the call on the other side of == or !=, where this is the right one.
ValueRef comparedWith(const Occurrence& At) {
  const clang::Expr* Outer = outerOf(*At.Its.At, At);
  while (llvm::isa_and_present<clang::ImplicitCastExpr, clang::ParenExpr>(Outer)) {
    Outer = outerOf(*Outer, At);
  }
  const auto* Both = llvm::dyn_cast_if_present<clang::BinaryOperator>(Outer);
  const clang::Expr* Left = Both && Both->isEqualityOp() ? Both->getLHS()->IgnoreParenImpCasts() : nullptr;
  const auto IsLeft = [&](const flow::Fact& Each) { return Left && Each.What == flow::Fact::Kind::Call && Each.At == Left; };
  const auto Found = llvm::find_if(At.In.Of.Facts, IsLeft);
  return Found == At.In.Of.Facts.end() ? nullptr : Found->Object;
}

/// As an argument of the method, or a part of one.
bool isGivenTo(llvm::StringRef Method, const clang::Stmt& E, const Occurrence& At) {
  const clang::Expr* Outer = outerOf(E, At);
  const auto* Call = llvm::dyn_cast_if_present<clang::CXXMemberCallExpr>(Outer);
  const bool IsIt = Call && Call->getMethodDecl() && Call->getMethodDecl()->getNameAsString() == Method;
  return Outer && (IsIt || isGivenTo(Method, *Outer, At));
}

bool holds(const Condition& Asked, const Occurrence& At) {
  const ValueRef Known = At.argument(Asked.Parameter);
  const clang::Expr* E = At.expression(Asked.Parameter);
  switch (Asked.What) {
    case Condition::Kind::None:
      return true;
    case Condition::Kind::Given:
      return Known != nullptr;
    case Condition::Kind::NotGiven:
      return Known == nullptr;
    case Condition::Kind::Tensor:
      return E && isTensor(E->IgnoreUnlessSpelledInSource()->getType());
    case Condition::Kind::Is:
      return isOneOf(At, E, Known, Asked.Values);
    case Condition::Kind::IsNot:
      return !isOneOf(At, E, Known, Asked.Values);
    case Condition::Kind::DataOfTensor:
      return Known && (Known->Data || (E && isTensor(E->getType()) && Known->On != flow::Device::Host));
    case Condition::Kind::Sparse:
      return Known && (Asked.Values == "any" ? Known->Sparse != flow::Sparsity::Unknown : Known->Sparse == flow::Sparsity::Perhaps);
    case Condition::Kind::Dimensions:
      return Known && Known->Dimensions && *Known->Dimensions >= Asked.Count;
    case Condition::Kind::MayHave: {
      const auto Sizes = sizesOf(Known, At.Annotations);
      const auto IsSmall = [&](llvm::ArrayRef<int64_t> Each) {
        return std::accumulate(Each.begin(), Each.end(), int64_t{1}, std::multiplies<>()) < Asked.Count;
      };
      return E && isTensor(E->getType()) && (Sizes.empty() || !llvm::all_of(Sizes, IsSmall));
    }
    case Condition::Kind::Longer:
      return llvm::any_of(sizesOf(Known, At.Annotations), [&](llvm::ArrayRef<int64_t> Each) {
        return llvm::any_of(Each, [&](int64_t Size) { return Size > Asked.Count; });
      });
    case Condition::Kind::OfClass:
      return Asked.Parameter != "*"
                 ? isOfClass(E, Asked.Values)
                 : llvm::any_of(At.Its.Expressions, [&](const clang::Expr* Each) { return isOfClass(Each, Asked.Values); });
    case Condition::Kind::LivesOn:
      return outlives(Known);
    case Condition::Kind::MayLiveOn:
      return Known && Known->MayBeOther && !outlives(Known);
    case Condition::Kind::Copied:
      return Known && llvm::any_of(Known->Targets, [&](const flow::Target& Each) {
               const bool IsMeant = Asked.Values.empty() || isFlagged(*Each.Of, *annotation::flagNamed(Asked.Values), At.Annotations);
               return Each.IsExact && IsMeant && isCopied(*Each.Of, At.Annotations);
             });
    case Condition::Kind::Apart:
      return areApart(At.argument("self"), Known, At.Annotations);
    case Condition::Kind::ComparedApart:
      return areApart(At.argument("self"), comparedWith(At), At.Annotations);
    case Condition::Kind::NotBehind:
      return llvm::none_of(At.In.Of.Facts, [&](const flow::Fact& Each) {
        return Each.Function && Each.Function->getIdentifier() && Each.Function->getName() == Asked.Values;
      });
    case Condition::Kind::NotFor:
      return !isGivenTo(Asked.Values, *At.Its.At, At);
    case Condition::Kind::PointsIntoTensor:
      return false;
    case Condition::Kind::Backward:
      return hasGradient(At);
    case Condition::Kind::Step:
      return areOfStep(At.Annotations);
    case Condition::Kind::NoStep:
      return !areOfStep(At.Annotations);
    case Condition::Kind::UsedNumber:
      return !isReadAndDropped(At);
    case Condition::Kind::NoRuntime:
      return isOfLibrary(*At.Its.Function) && !includesOptimizers(At.Its.Function->getASTContext());
  }
  return false;
}

bool isOfValues(llvm::StringRef Id) {
  return llvm::is_contained({"graphed-host-item", "graphed-host-compare", "graphed-host-print", "graphed-host-pointer",
                             "graphed-dynamic-shape", "graphed-linalg-sync"},
                            Id);
}

/// Of threads as the standard names them.
std::string nameIn(const Occurrence& At) {
  const auto* Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(At.Its.Function);
  const clang::NamedDecl& Named = Constructor ? static_cast<const clang::NamedDecl&>(*Constructor->getParent()) : *At.Its.Function;
  const bool IsThread =
      Named.isInStdNamespace() && Named.getIdentifier() && llvm::is_contained({"thread", "jthread", "async"}, Named.getName());
  return (IsThread ? "std::" : "") + nameOfModuleOr(Named);
}

/// What outlives the call, of which a row speaks, if it is an argument's: " from the argument 'rng'".
std::string sourceIn(const OverlayRow& Row, const Occurrence& At) {
  for (const Condition& Each : Row.Conditions) {
    const ValueRef Known = Each.What == Condition::Kind::LivesOn ? At.argument(Each.Parameter) : nullptr;
    if (Known && !Known->Targets.empty() && Known->Targets.front().Of->isOfArgument()) {
      return " from " + wordsOf(*Known->Targets.front().Of);
    }
  }
  return "";
}

std::string messageOf(const OverlayRow& Row, const Occurrence& At) {
  llvm::StringRef Says = Row.What->Says;
  const bool IsFunction = !Row.Instead.empty() && !Row.Instead.contains(' ');
  const std::string Instead = IsFunction ? "; '" + Row.Instead.str() + "' does not" : Row.Instead.empty() ? "" : "; " + Row.Instead.str();
  if (!Says.consume_front(":")) {
    return "'" + (Row.What->At.empty() ? nameIn(At) : Row.What->At.str()) + "' " + Says.str() + Instead;
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(At.Its.Function);
  const bool HasObject = At.Its.Object && !At.Its.Object->Targets.empty();
  const std::pair<llvm::StringRef, std::string> Names[] = {{"%n", nameIn(At)},
                                                           {"%s", sourceIn(Row, At)},
                                                           {"%c", Method ? Method->getParent()->getNameAsString() : ""},
                                                           {"%o", HasObject ? wordsOf(*At.Its.Object->Targets.front().Of) : ""}};
  std::string Message = Says.str();
  for (const auto& [Word, Name] : Names) {
    for (size_t Place = Message.find(Word); Place != std::string::npos; Place = Message.find(Word, Place + Name.size())) {
      Message.replace(Place, Word.size(), Name);
    }
  }
  return Message + Instead;
}

/// A variable or member of the program's says where to: one that runs on a CPU only, where such a copy does nothing.
bool isOfProgramsDevice(const Occurrence& At) {
  const clang::Expr* Device = At.expression("device");
  const clang::Expr* Given = Device ? Device : At.expression("options");
  const clang::Expr* Plain = Given ? Given->IgnoreUnlessSpelledInSource() : nullptr;
  const auto* Name = llvm::dyn_cast_if_present<clang::DeclRefExpr>(Plain);
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  return llvm::isa_and_present<clang::MemberExpr>(Plain) || (Variable && Variable->hasGlobalStorage() && !isOfLibrary(*Variable));
}

void judgeOverlay(const Occurrence& At) {
  if (!At.Its.Function) {
    return;
  }
  for (const OverlayRow* Each : overlayOf(*At.Its.Function)) {
    const Effect& What = *Each->What;
    const bool Applies = !What.Rule.empty() && llvm::all_of(Each->Conditions, [&](const Condition& One) { return holds(One, At); });
    if (!Applies || (isOfValues(What.Rule) && (isOfKnownValues(At) || isReadForResult(At)))) {
      continue;
    }
    const clang::Expr* Meant = What.At.empty() ? nullptr : At.expression(What.At);
    const clang::SourceLocation Where = Meant ? Meant->getBeginLoc() : At.where();
    if (What.Rule == "graphed-host-copy" && isOfProgramsDevice(At)) {
      At.suspect(What.Rule, Where, messageOf(*Each, At) + "; on a CPU it does nothing");
    } else if (What.How == Level::Certain) {
      At.report(What.Rule, Where, messageOf(*Each, At));
    } else {
      At.suspect(What.Rule, Where, messageOf(*Each, At));
    }
    return;
  }
}

}  // namespace

bool hasTrait(const Occurrence& Call, Trait Its) {
  return Call.Its.Function && llvm::any_of(overlayOf(*Call.Its.Function), [&](const OverlayRow* Each) {
           return Each->What->Its == Its && llvm::all_of(Each->Conditions, [&](const Condition& One) { return holds(One, Call); });
         });
}

const Rule rules::Overlay{.OnCall = judgeOverlay};

}  // namespace graphgen::check
