// SPDX-License-Identifier: Apache-2.0
//
// What outlives the call is read, and calls do not look at it: a number or a list that the unit changes between calls, or that another file
// may change. What makes the object, or is the callable's own, does not count as a change. Examples are constructors, what only they call,
// and a method that makes the object's tensors or modules, as a `setup()` does.
#include "check/code/Atomics.h"
#include "check/code/KnownValues.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/code/Stores.h"
#include "check/flow/Types.h"
#include "check/rules/Captured.h"
#include "check/rules/Making.h"
#include "check/rules/MayChange.h"
#include "check/rules/PlaceUse.h"
#include "check/rules/Settled.h"
#include "check/rules/SharedHandle.h"
#include "scan/MemberTypes.h"
#include "scan/WatchedMembers.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace graphgen::check {
namespace {

using Functions = Changes::Functions;

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

using Members = std::vector<const clang::FieldDecl*>;

/// The members of the program's classes on the way to what is read; none of a variable.
Members membersAt(const flow::PathNode& Of) {
  Members Found;
  for (const flow::PathNode* Each = variableOf(Of) ? nullptr : &Of; Each; Each = Each->parent()) {
    const flow::PathNode* Object = objectOfOwnLambda(*Each);
    Each = Object ? Object : Each;
    const clang::FieldDecl* Member = Each->last().What == flow::Step::Kind::Field ? Each->last().Member : nullptr;
    if (Member && !isOfLibrary(*Member)) {
      Found.push_back(Member);
    }
  }
  return Found;
}

/// Each call looks at it in its object, its arguments or a variable, so that another value is another capture. For a function of another
/// file it is unknown whose object it gets.
bool isLookedAt(const clang::ValueDecl& Named, const flow::PathNode& Of, const Occurrence& At) {
  if (At.Annotations.empty()) {
    return false;
  }
  const scan::WatchedPlaces& Watched = *At.Annotations.front()->Watched;
  const clang::VarDecl* Variable = variableOf(Of);
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&Named);
  const auto IsWatched = [&](const clang::FieldDecl* Each) { return Watched.has(*Each); };
  return Variable ? Watched.has(*Variable, Named) : Field && IsWatched(Field) && llvm::all_of(membersAt(Of), IsWatched);
}

bool isReplaced(const StateUse& By) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(By.Called);
  return Method && (Method->getOverloadedOperator() == clang::OO_Equal || changesList(*Method, /*IsOfNumbers=*/true));
}

/// By the callable itself: no key can hold it.
bool isWrittenBy(const Functions& Running, flow::Path Of, const UnitIndex& Unit) {
  return llvm::any_of(Unit.writesTo(*Of->named()),
                      [&](const StateWrite& Each) { return Running.contains(Each.Writer) && mayBeAt(Of, Each.To); });
}

bool isReplacedBy(const Functions& Running, const clang::ValueDecl& Named, const UnitIndex& Unit) {
  return llvm::any_of(Unit.usesOf(Named), [&](const StateUse& Each) { return Running.contains(Each.User) && isReplaced(Each); });
}

Finding frozen(const Occurrence& At, const clang::ValueDecl& Named, const Members& Way, const clang::Expr& Read, const llvm::Twine& Kept,
               Note Why) {
  Finding New{"graphed-frozen",
              Read.getExprLoc(),
              Read.getSourceRange(),
              ("'" + Named.getName() + "' is read when the graph is captured: " + Kept).str(),
              {std::move(Why)},
              false,
              {}};
  New.Read = At.Annotations.empty() ? Way : Members();
  return New;
}

void tellChange(const Occurrence& At, const flow::PathNode& Of, const clang::Expr& Read, clang::SourceLocation Change) {
  At.tell(frozen(At, *Of.named(), membersAt(Of), Read, "replays keep that value", {Change, "it is changed here"}));
}

/// Of what is read.
struct Surroundings {
  bool IsOpen;                               // code that is not of the target may come to it
  bool IsGivenAway = false;                  // a function gives it to whatever calls that
  const clang::ValueDecl* Around = nullptr;  // that holds it, and is reported
  bool IsOfModule = false;                   // calls compare what it leads to with its module
};

/// Where no change is certain.
Finding unseen(const Occurrence& At, const clang::ValueDecl& Named, const Members& Way, const clang::Expr& Read, const Functions& Running,
               const Surroundings& Its) {
  using Kind = annotation::WatchedMember::Kind;
  const scan::HeldType Held = scan::heldType(Named.getType());
  const bool IsNumber = Held.What != scan::HeldType::Form::Class && Held.Kind == Kind::Number;
  Finding New = frozen(At, Named, Way, Read,
                       IsNumber ? "replays keep that value, and no call notices a change"
                                : "replays use what it holds then, and no call notices when that is replaced",
                       {Named.getLocation(), "declared here"});
  New.Around = Its.Around;
  New.IsOfPart = !IsNumber;
  New.IsOfItself = Its.IsOfModule;
  if (const clang::SourceLocation Change = At.Changed.of(Named, Running, Its.IsOfModule); Change.isValid()) {
    New.Notes.push_back({Change, "it is changed here"});
  } else if (!Its.IsGivenAway && !isOwnedOutside(Named.getType())) {
    New.Unchanged = &patternOf(Named);
    New.IsOpen = Its.IsOpen && !Its.IsOfModule;
  }
  return New;
}

/// Of what a function of another file gives by reference or by a pointer, or of a part of that, the function: the object is not made for
/// the call. Null of anything else.
const clang::FunctionDecl* givenByOtherFile(const clang::Expr* E) {
  constexpr unsigned MostSteps = 32;  // a variable may be made of itself
  unsigned Steps = 0;
  for (const clang::Expr* Each = E; Each && Steps < MostSteps; Each = causeOf(*Each), ++Steps) {
    Each = Each->IgnoreParenImpCasts();
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(Each);
    const clang::FunctionDecl* Called = Call ? Call->getDirectCallee() : nullptr;
    if (Called && !isOfLibrary(*Called)) {
      const clang::QualType Given = Called->getReturnType();
      const bool IsOther = !Called->isDefined() && (Given->isReferenceType() || isPointer(Given));
      return IsOther ? Called : nullptr;
    }
  }
  return nullptr;
}

/// A number, a text, or a list of such. A tensor is reported where the function returns it.
bool givesNumbers(const clang::FunctionDecl& Function) {
  clang::QualType Type = Function.getReturnType();
  Type = isPointer(Type) ? flow::pointeeOf(Type) : Type.getNonReferenceType();
  const scan::HeldType Held = Type.isNull() ? scan::HeldType() : scan::heldType(Type.getUnqualifiedType());
  return Held.What == scan::HeldType::Form::Leaf && Held.Kind == annotation::WatchedMember::Kind::Number && !Type->isAnyCharacterType();
}

/// What outlives the call, of a value that is another one perhaps since a call that is not seen.
llvm::SmallVector<flow::Path, 2> outliving(const flow::Value& Known) {
  llvm::SmallVector<flow::Path, 2> Found(Known.Sources.begin(), Known.Sources.end());
  llvm::append_range(Found, llvm::map_range(Known.Targets, [](const flow::Target& Each) { return Each.Of; }));
  llvm::erase_if(Found, [](flow::Path Each) { return !Each->outlivesCall(); });
  return Found;
}

/// What is read, or the object of a call.
const clang::Expr* placeIn(const flow::Fact& Its) {
  const clang::Expr* Object = objectOf(*Its.At);
  return Object ? Object : llvm::dyn_cast<clang::Expr>(Its.At);
}

/// The place in the program's own classes that holds it, as a member of a pair or of a module's options.
flow::Path ownPlace(flow::Path Of) {
  const auto IsOfLibrarys = [](const clang::ValueDecl* Named) {
    return !Named || (llvm::isa<clang::FieldDecl>(Named) && isOfLibrary(*Named));
  };
  while (Of && IsOfLibrarys(Of->named())) {
    Of = Of->parent();
  }
  return Of;
}

bool isPlainNumber(clang::QualType Type, const flow::PathNode& Of) {
  return (Type->isArithmeticType() || Type->isEnumeralType()) && !Type.isConstQualified() && !Of.isOneOfSeveral();
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
    if (const flow::Path Of = IsRead ? ownPlace(At.Its.Object->target()) : nullptr) {
      judge(At, *Of, *llvm::cast<clang::Expr>(At.Its.At)->IgnoreParenImpCasts(), IsCall);
    } else if (IsRead) {
      judgeSome(At, At.Its.Object, placeIn(At.Its));
    }
    for (const auto& [Given, E] : llvm::zip(At.Its.Arguments, At.Its.Expressions)) {
      const flow::Path Of = Given ? ownPlace(Given->target()) : nullptr;
      if (Of && E) {
        judge(At, *Of, *E->IgnoreParenImpCasts(), /*IsCall=*/true);
      } else if (E && E->isGLValue()) {
        judgeSome(At, Given, E);
      }
    }
  }

 private:
  void judge(const Occurrence& At, const Captured& Its, const clang::Expr& Read) {
    if (ToldIn.insert({nullptr, Its.Variable}).second) {
      const bool IsChanged = Its.Change.isValid();
      At.tell(frozen(At, *Its.Variable, {}, Read,
                     IsChanged ? "replays keep that value" : "replays keep that value, and no call notices a change",
                     IsChanged ? Note{Its.Change, "it is changed here"} : Note{Its.Variable->getLocation(), "declared here"}));
    }
  }

  void judge(const Occurrence& At, const flow::PathNode& Of, const clang::Expr& Read, bool IsCall) {
    const clang::ValueDecl* Named = Of.outlivesCall() ? Of.named() : nullptr;
    if (const std::optional<Captured> Its = Named ? capturedAt(Of) : std::nullopt) {
      return judge(At, *Its, Read);
    }
    const bool IsWritten = Named && isWrittenBy(Running, &Of, At.Unit);
    if (!Named || (isLookedAt(*Named, Of, At) && !IsWritten)) {
      return;
    }
    if (!judgeChange(At, Of, *Named, Read, IsCall) && !IsWritten && !isToldElsewhere(Of, *Named, At.Unit) &&
        !isReplacedBy(Running, *Named, At.Unit) && mayChange(*Named, Of, At, Running) && tellsFirst(Of, *Named)) {
      const clang::VarDecl* Variable = variableOf(Of);
      tellUnseen(At, *Named, membersAt(Of), Read,
                 {isOpen(Of), Variable && isGivenAway(*Variable), toldAround(Of.parent(), Named), isPartInContainer(*Named, Of)});
    }
  }

  void tellUnseen(const Occurrence& At, const clang::ValueDecl& Named, const Members& Way, const clang::Expr& Read,
                  const Surroundings& Its) {
    Finding New = unseen(At, Named, Way, Read, Running, Its);
    if (New.Unchanged) {
      IfChanged.insert(&Named);
    }
    At.tell(std::move(New));
  }

  /// With what holds it, or with the change that this unit makes.
  bool isToldElsewhere(const flow::PathNode& Of, const clang::ValueDecl& Named, const UnitIndex& Unit) const {
    const clang::QualType Type = withoutAtomic(Named.getType().getNonReferenceType());
    return isCertain(toldAround(Of.parent(), &Named)) || (isList(Type) && changeOfList(Named, Running, Unit)) ||
           (isPlainNumber(Type, Of) && changeOf(&Of, Running, Unit));
  }

  /// The innermost of what holds the place, from `Around` on, that is reported.
  const clang::ValueDecl* toldAround(flow::Path Around, const clang::ValueDecl* But) const {
    while (Around && (Around->named() == But || !Told.contains(Around->named()))) {
      Around = Around->parent();
    }
    return Around ? Around->named() : nullptr;
  }

  /// A class's member is read in each of the objects that hold one.
  bool tellsFirst(const flow::PathNode& Of, const clang::ValueDecl& Named) {
    flow::Path Around = Of.parent();
    while (Around && (!Around->named() || Around->named() == &Named)) {
      Around = Around->parent();
    }
    Told.insert(&Named);
    return ToldIn.insert({Around ? Around->named() : nullptr, &Named}).second;
  }

  bool isCertain(const clang::ValueDecl* ToldOf) const { return ToldOf && !IfChanged.contains(ToldOf); }

  void judgeSome(const Occurrence& At, flow::ValueRef Known, const clang::Expr* E) {
    const auto* Member = Known && E ? llvm::dyn_cast_if_present<clang::FieldDecl>(storeOf(*E)) : nullptr;
    const clang::FunctionDecl* Giver = Known && E ? givenByOtherFile(E) : nullptr;
    if (!Member && Giver && givesNumbers(*Giver) && Told.insert(Giver).second) {
      return tellUnseen(At, *Giver, {}, *E->IgnoreParenImpCasts(), {/*IsOpen=*/true});
    }
    if (!Member || isReplacedBy(Running, *Member, At.Unit)) {
      return;
    }
    const llvm::SmallVector<flow::Path, 2> Outside = outliving(*Known);
    if (Outside.empty() && Giver) {
      const bool IsLookedAt = !At.Annotations.empty() && At.Annotations.front()->Watched->has(*Member);
      if (!IsLookedAt && isValue(*Member) && !Member->getType().isConstQualified() && Told.insert(Member).second) {
        tellUnseen(At, *Member, {Member}, *E->IgnoreParenImpCasts(), {/*IsOpen=*/true});
      }
      return;
    }
    const auto IsFrozen = [&](flow::Path Of) {
      return !isLookedAt(*Member, *Of, At) && !isCertain(toldAround(Of, Member)) && mayChange(*Member, *Of, At, Running);
    };
    const auto* First = llvm::find_if(Outside, IsFrozen);
    if (First != Outside.end() && Told.insert(Member).second) {
      tellUnseen(At, *Member, {Member}, *E->IgnoreParenImpCasts(),
                 {llvm::any_of(Outside, [](flow::Path Each) { return isOpen(*Each); }), false, toldAround(*First, Member),
                  isPartInContainer(*Member, **First)});
    }
  }

  /// Of which this unit has one.
  bool judgeChange(const Occurrence& At, const flow::PathNode& Of, const clang::ValueDecl& Named, const clang::Expr& Read, bool IsCall) {
    const clang::QualType Type = withoutAtomic(Named.getType().getNonReferenceType());
    if (IsCall && isList(Type) && looksAt(At.Its, holdsNumbers(Type))) {
      if (const StateUse* Change = changeOfList(Named, Running, At.Unit)) {
        tellChange(At, Of, Read, Change->Where);
        return true;
      }
    } else if (!IsCall && isPlainNumber(Type, Of)) {
      if (const StateWrite* Change = changeOf(&Of, Running, At.Unit)) {
        tellChange(At, Of, Read, Change->Where);
        return true;
      }
    }
    return false;
  }

  Functions Running;
  llvm::SmallPtrSet<const clang::ValueDecl*, 16> Told;                           // of what no change is certain
  std::set<std::pair<const clang::ValueDecl*, const clang::ValueDecl*>> ToldIn;  // with what holds it
  llvm::SmallPtrSet<const clang::ValueDecl*, 16> IfChanged;                      // of these what only another file may change
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
