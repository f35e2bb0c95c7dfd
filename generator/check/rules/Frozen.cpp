// SPDX-License-Identifier: Apache-2.0
//
// What outlives the call is read, and calls do not look at it: a number or a list that the unit changes between calls, or that another file
// may change. What makes the object, or is the callable's own, does not count as a change. Examples are constructors, what only they call,
// and a method that makes the object's tensors or modules, as a `setup()` does.
#include "check/code/Atomics.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/flow/Types.h"
#include "check/rules/Settled.h"
#include "scan/MemberTypes.h"
#include "scan/WatchedMembers.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "scan/Libraries.h"

namespace graphgen::check {
namespace {

using Functions = llvm::SmallPtrSet<const clang::FunctionDecl*, 16>;

constexpr unsigned MostCallers = 8;  // of callers

/// What torch::nn::Cloneable's constructors and clone() call.
bool isModulesReset(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  return Method && Method->getIdentifier() && llvm::is_contained({"reset", "reset_parameters"}, Method->getName()) &&
         llvm::any_of(Method->overridden_methods(), [](const clang::CXXMethodDecl* Each) { return isOfLibrary(*Each); });
}

/// A setter of options, `Options& rate(double)`, by which they are made.
bool isOfOptions(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  const clang::QualType Given = F.getReturnType();
  return Method && F.getNumParams() == 1 && Given->isLValueReferenceType() && Given->getPointeeType()->getAsCXXRecordDecl() &&
         Given->getPointeeType()->getAsCXXRecordDecl()->getCanonicalDecl() == Method->getParent()->getCanonicalDecl();
}

/// Of the object that it is a method of.
bool makesTensors(const clang::FunctionDecl& F, const UnitIndex& Unit) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  const auto IsMade = [&](const clang::FieldDecl* Each) {
    const flow::TypeKind Kind = flow::kindOf(Each->getType());
    const bool IsPart = Kind == flow::TypeKind::Tensor || Kind == flow::TypeKind::Pointer;
    return IsPart && llvm::any_of(Unit.writesTo(*Each), [&](const StateWrite& Write) {
             return Write.Writer == &F && Write.To.IsOnThis && Write.Value && !Write.IsUpdate && !isEmpty(*Write.Value);
           });
  };
  return Method && llvm::any_of(Method->getParent()->fields(), IsMade);
}

bool isMaking(const clang::FunctionDecl& F, const UnitIndex& Unit, unsigned Depth = 0) {
  if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(F) || isModulesReset(F) || isOfOptions(F) || makesTensors(F, Unit)) {
    return true;
  }
  const llvm::ArrayRef<CallSite> Calls = Unit.callsOf(F);
  return Depth < MostCallers && !Calls.empty() &&
         llvm::all_of(Calls, [&](const CallSite& Each) { return Each.Caller && isMaking(*Each.Caller, Unit, Depth + 1); });
}

/// A method that nothing calls in this unit may be called by others.
bool mayRunAgain(const clang::FunctionDecl& F, const UnitIndex& Unit, unsigned Depth = 0) {
  const llvm::ArrayRef<CallSite> Calls = Unit.callsOf(F);
  const auto IsAgain = [&](const CallSite& Each) {
    return Each.IsRepeated || (Each.Caller && !isMaking(*Each.Caller, Unit) && mayRunAgain(*Each.Caller, Unit, Depth + 1));
  };
  return Calls.empty() ? Depth == 0 || llvm::isa<clang::CXXMethodDecl>(F) : Depth < MostCallers && llvm::any_of(Calls, IsAgain);
}

/// The members that hold one another around the place, from the innermost: any of their objects may be the one that is written.
bool mayBeAt(flow::Path Of, const Path& Written) {
  if (!Written.Owner) {
    return Of->from() == flow::Root::Global && !Of->parent();
  }
  for (flow::Path Each = Of; Each && Each->last().What == flow::Step::Kind::Field; Each = Each->parent()) {
    const auto* Owner = llvm::cast<clang::CXXRecordDecl>(patternOf(*Each->last().Member).getDeclContext());
    const bool IsOutermost = !Each->parent() || Each->parent()->last().What != flow::Step::Kind::Field;
    if ((IsOutermost || Written.IsOnThis) && mayBeOne({Written.Named, Owner}, Written)) {
      return true;
    }
  }
  return false;
}

/// What is changed without an assignment, and where it is looked at.
bool isList(clang::QualType Type) { return llvm::is_contained({flow::TypeKind::Sequence, flow::TypeKind::Map}, flow::kindOf(Type)); }
bool holdsNumbers(clang::QualType List) {
  const clang::QualType Element = flow::elementOf(List);
  return !Element.isNull() && flow::kindOf(Element) == flow::TypeKind::Number;
}

/// What elements a list of tensors has is another question: graphed-rebound says what is put there.
bool looksAt(const flow::Fact& Its, bool IsOfNumbers) {
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(Its.Function);
  const llvm::StringRef Name = Method && Method->getIdentifier() ? Method->getName() : "";
  const bool IsElement = Method && (Method->getOverloadedOperator() == clang::OO_Subscript ||
                                    llvm::is_contained({"begin", "rbegin", "at", "front", "back"}, Name));
  return Its.Object && (llvm::is_contained({"size", "empty", "count", "find"}, Name) || (IsElement && IsOfNumbers));
}

/// Elements are taken out, or, of a list of numbers, put in.
bool changesList(const clang::FunctionDecl& F, bool IsOfNumbers) {
  using Names = std::initializer_list<llvm::StringRef>;
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  const llvm::StringRef Name = Method && Method->getIdentifier() && isOfLibrary(*Method) ? Method->getName() : "";
  const auto Begins = [&](llvm::StringRef Each) { return Name.starts_with(Each); };
  return llvm::any_of(Names{"pop", "erase", "clear", "swap", "extract"}, Begins) ||
         (IsOfNumbers && llvm::any_of(Names{"push", "emplace", "insert", "resize", "assign"}, Begins));
}

/// None where the callable changes it too, which is reported there.
const StateUse* changeOfList(const clang::ValueDecl& Named, const Functions& Running, const UnitIndex& Unit) {
  const bool IsOfNumbers = holdsNumbers(Named.getType());
  const StateUse* Found = nullptr;
  for (const StateUse& Each : Unit.usesOf(Named)) {
    if (!Each.User || !changesList(*Each.Called, IsOfNumbers)) {
      continue;
    }
    if (Running.contains(Each.User)) {
      return nullptr;
    }
    if (!Found && !isMaking(*Each.User, Unit) && mayRunAgain(*Each.User, Unit)) {
      Found = &Each;
    }
  }
  return Found;
}

const StateWrite* changeOf(flow::Path Of, const Functions& Running, const UnitIndex& Unit) {
  const auto IsChange = [&](const StateWrite& Each) {
    if (!Each.Writer || Running.contains(Each.Writer) || !mayBeAt(Of, Each.To) || isMaking(*Each.Writer, Unit)) {
      return false;
    }
    const bool IsOthersToCall = (Each.To.IsOnThis || !Each.To.Owner) && !Each.Writer->isMain();
    return Each.IsUpdate || Each.IsRepeated || (IsOthersToCall && mayRunAgain(*Each.Writer, Unit));
  };
  const llvm::ArrayRef<StateWrite> Writes = Unit.writesTo(*Of->named());
  const auto* Found = llvm::find_if(Writes, IsChange);
  return Found == Writes.end() ? nullptr : Found;
}

/// The variable that the place is, or is in; null of another place.
const clang::VarDecl* variableOf(const flow::PathNode& Of) {
  const auto* Variable = llvm::dyn_cast_if_present<clang::VarDecl>(Of.declared());
  return Of.from() == flow::Root::Global && Variable && !llvm::isa<clang::ParmVarDecl>(Variable) ? Variable : nullptr;
}

/// Whether who reads the annotation sees the body, by bodies that are seen.
bool isSeen(const scan::ScannedCallable& Callable, const Way& In) {
  const Way* Each = &In;
  while (Each && scan::isSeenWithAnnotation(Callable, *Each->Of.Function)) {
    Each = Each->Caller;
  }
  return !Each;
}

/// Each call looks at it in its object, its arguments or a variable, so that another value is another capture. For a function of another
/// file it is unknown whose object it gets: its members count as looked at.
bool isLookedAt(const clang::ValueDecl& Named, const flow::PathNode& Of, const Occurrence& At) {
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&Named);
  const clang::VarDecl* Variable = variableOf(Of);
  if (At.Annotations.empty()) {
    return Field && !Variable;
  }
  const scan::ScannedCallable& Callable = *At.Annotations.front();
  const bool IsSeen = isSeen(Callable, At.In);
  return Variable ? IsSeen && scan::isWatchedVariable(Callable, *Variable, Named)
                  : Field && scan::isWatchedMember(Callable, *Field, /*IsNamed=*/IsSeen);
}

/// By the callable itself: no key can hold it.
bool isWrittenBy(const Functions& Running, flow::Path Of, const UnitIndex& Unit) {
  return llvm::any_of(Unit.writesTo(*Of->named()),
                      [&](const StateWrite& Each) { return Running.contains(Each.Writer) && mayBeAt(Of, Each.To); });
}

/// A member that no other file changes, nor this one once the object is made: the class, or all that can name the member, is in this unit.
bool isLeftAlone(const clang::FieldDecl& Member, const Functions& Running, const UnitIndex& Unit) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Member.getParent());
  const auto IsHere = [](const clang::CXXMethodDecl* Each) {
    return Each->isImplicit() || Each->isDefaulted() || Each->isDeleted() || Each->isDefined();
  };
  const auto Leaves = [&](const StateUse& Each) {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Each.Called);
    return !Each.User || (Method && Method->isConst()) || Running.contains(Each.User) || isMaking(*Each.User, Unit);
  };
  const bool IsOfSource = Class && scan::isInMainFile(*Class) && !Class->getASTContext().getLangOpts().IsHeaderFile;
  const bool IsPrivate = Class && Member.getAccess() != clang::AS_public && !Class->hasFriends() && llvm::all_of(Class->methods(), IsHere);
  return (IsOfSource || IsPrivate) && llvm::all_of(Unit.usesOf(Member), Leaves) &&
         llvm::all_of(Unit.writesTo(Member), [&](const StateWrite& Each) { return !Each.Writer || isMaking(*Each.Writer, Unit); });
}

bool isLeaf(const clang::ValueDecl& Named) { return scan::heldType(Named.getType()).What == scan::HeldType::Form::Leaf; }

/// A variable of a function that gives others a reference or a pointer to it, or to a part.
bool isGivenAway(const clang::VarDecl& Variable) {
  const auto* Function = Variable.isStaticLocal() ? llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext()) : nullptr;
  const clang::QualType Given = Function ? Function->getReturnType() : clang::QualType();
  return Function && (Given->isReferenceType() || Given->isPointerType()) && !Given->getPointeeType().isConstQualified();
}

/// By another file, to which a header declares it, or by a caller of the function that returns it.
bool mayChangeElsewhere(const clang::VarDecl& Variable, const clang::ValueDecl& Named) {
  const bool IsDeclaredToOthers =
      !scan::isInMainFile(*Variable.getCanonicalDecl()) || Variable.getASTContext().getLangOpts().IsHeaderFile || !Variable.getDefinition();
  const bool IsConstant = Variable.getType().isConstQualified() || Variable.isConstexpr();
  return ((IsDeclaredToOthers && Variable.isExternallyVisible() && !Variable.isStaticLocal()) || isGivenAway(Variable)) && !IsConstant &&
         !isOfLibrary(Variable) && isLeaf(Named);
}

/// Where this unit does not show it: others have the object. Lists may grow: calls look only at those that a body names which is in the
/// annotated file. Nor do they look at members of classes that derive from the declared one.
bool mayChangeElsewhere(const clang::FieldDecl& Field, const flow::PathNode& Of, const Occurrence& At, const Functions& Running) {
  if ((Of.from() != flow::Root::Object && Of.from() != flow::Root::Given) || At.Annotations.empty()) {
    return false;
  }
  const scan::ScannedCallable& Callable = *At.Annotations.front();
  const bool IsUnseenList = isList(Field.getType().getNonReferenceType()) && !isSeen(Callable, At.In);
  return (IsUnseenList || (isLeaf(Field) && scan::isOfDerived(Callable, Field))) && !Field.getType().isConstQualified() &&
         !isLeftAlone(Field, Running, At.Unit);
}

bool mayChangeElsewhere(const clang::ValueDecl& Named, const flow::PathNode& Of, const Occurrence& At, const Functions& Running) {
  if (const clang::VarDecl* Variable = variableOf(Of)) {
    return mayChangeElsewhere(*Variable, Named);
  }
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&Named);
  return Field && mayChangeElsewhere(*Field, Of, At, Running);
}

void tellFrozen(const Occurrence& At, const clang::Expr& Read, const clang::ValueDecl& Named, clang::SourceLocation Change) {
  At.suspect("graphed-frozen", Read.getExprLoc(), "'" + Named.getName() + "' is read when the graph is captured: replays keep that value",
             {{Change, "it is changed here"}});
}

class Reads {
 public:
  explicit Reads(llvm::ArrayRef<Occurrence> All) {
    for (const Occurrence& Each : All) {
      Running.insert(&patternOf(*Each.In.Of.Function));
    }
  }

  void judge(const Occurrence& At) {
    const bool IsCall = At.Its.What == flow::Fact::Kind::Call && At.Its.Object;
    const bool IsRead = IsCall || At.Its.What == flow::Fact::Kind::Read;
    if (const flow::Path Of = IsRead ? At.Its.Object->target() : nullptr) {
      judge(At, *Of, *llvm::cast<clang::Expr>(At.Its.At)->IgnoreParenImpCasts(), IsCall);
    }
    for (const auto& [Given, E] : llvm::zip(At.Its.Arguments, At.Its.Expressions)) {
      const flow::Path Of = Given ? Given->target() : nullptr;
      if (Of && E && variableOf(*Of)) {
        judge(At, *Of, *E->IgnoreParenImpCasts(), /*IsCall=*/true);
      }
    }
  }

 private:
  void judge(const Occurrence& At, const flow::PathNode& Of, const clang::Expr& Read, bool IsCall) {
    const clang::ValueDecl* Named = Of.outlivesCall() ? Of.named() : nullptr;
    const bool IsWritten = Named && isWrittenBy(Running, &Of, At.Unit);
    if (!Named || (isLookedAt(*Named, Of, At) && !IsWritten)) {
      return;
    }
    if (!judgeChange(At, Of, *Named, Read, IsCall) && !IsWritten && mayChangeElsewhere(*Named, Of, At, Running) &&
        Told.insert(Named).second) {
      At.suspect("graphed-frozen", Read.getExprLoc(),
                 "'" + Named->getName() + "' is read when the graph is captured: replays keep that value, and no call notices another one",
                 {{Named->getLocation(), "declared here"}});
    }
  }

  /// Of which this unit has one.
  bool judgeChange(const Occurrence& At, const flow::PathNode& Of, const clang::ValueDecl& Named, const clang::Expr& Read, bool IsCall) {
    const clang::QualType Type = withoutAtomic(Named.getType().getNonReferenceType());
    if (IsCall && isList(Type) && looksAt(At.Its, holdsNumbers(Type))) {
      if (const StateUse* Change = changeOfList(Named, Running, At.Unit)) {
        tellFrozen(At, Read, Named, Change->Where);
        return true;
      }
    } else if (!IsCall && (Type->isArithmeticType() || Type->isEnumeralType()) && !Type.isConstQualified() && !Of.isOneOfSeveral()) {
      if (const StateWrite* Change = changeOf(&Of, Running, At.Unit)) {
        tellFrozen(At, Read, Named, Change->Where);
        return true;
      }
    }
    return false;
  }

  Functions Running;
  llvm::SmallPtrSet<const clang::ValueDecl*, 16> Told;  // of what no change is known
};

void judgeReads(llvm::ArrayRef<Occurrence> All) {
  Reads Of(All);
  for (const Occurrence& Each : All) {
    Of.judge(Each);
  }
}

}  // namespace

const Rule rules::Frozen{.OnEnd = judgeReads};

}  // namespace graphgen::check
