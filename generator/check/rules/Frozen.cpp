// SPDX-License-Identifier: Apache-2.0
//
// A number is read that outlives the call, and that the unit changes between calls. What makes the object, or is the callable's own, does
// not count as a change. Examples are constructors, what only they call, and a method that makes the object's tensors or modules, as a
// `setup()` does.
#include "check/code/Atomics.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/flow/Types.h"
#include "check/rules/Settled.h"
#include "scan/WatchedMembers.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// Each call looks at it in its object or its arguments, so that another value is another capture. What the callable itself writes cannot
/// be. For a function of another file it is unknown whose object it gets: it counts as looked at.
bool isKey(const clang::ValueDecl& Named, const Occurrence& At, const Functions& Running) {
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&Named);
  const bool IsLookedAt = Field && (At.Annotations.empty() || scan::isWatchedMember(*At.Annotations.front(), *Field));
  return IsLookedAt &&
         llvm::none_of(At.Unit.writesTo(Named), [&](const StateWrite& Each) { return Running.contains(Each.Writer); });
}

void tellFrozen(const Occurrence& At, const clang::Expr& Read, const clang::ValueDecl& Named, clang::SourceLocation Change) {
  At.suspect("graphed-frozen", Read.getExprLoc(), "'" + Named.getName() + "' is read when the graph is captured: replays keep that value",
             {{Change, "it is changed here"}});
}

void judgeRead(const Occurrence& At, const Functions& Running) {
  const bool IsCall = At.Its.What == flow::Fact::Kind::Call && At.Its.Object;
  const flow::Path Of = IsCall || At.Its.What == flow::Fact::Kind::Read ? At.Its.Object->target() : nullptr;
  const clang::ValueDecl* Named = Of && Of->outlivesCall() ? Of->named() : nullptr;
  if (!Named || isKey(*Named, At, Running)) {
    return;
  }
  const clang::Expr& Read = *llvm::cast<clang::Expr>(At.Its.At)->IgnoreParenImpCasts();
  const clang::QualType Type = withoutAtomic(Named->getType().getNonReferenceType());
  if (IsCall && isList(Type) && looksAt(At.Its, holdsNumbers(Type))) {
    if (const StateUse* Change = changeOfList(*Named, Running, At.Unit)) {
      tellFrozen(At, Read, *Named, Change->Where);
    }
  } else if (!IsCall && (Type->isArithmeticType() || Type->isEnumeralType()) && !Type.isConstQualified() && !Of->isOneOfSeveral()) {
    if (const StateWrite* Change = changeOf(Of, Running, At.Unit)) {
      tellFrozen(At, Read, *Named, Change->Where);
    }
  }
}

void judgeReads(llvm::ArrayRef<Occurrence> All) {
  Functions Running;
  for (const Occurrence& Each : All) {
    Running.insert(&patternOf(*Each.In.Of.Function));
  }
  for (const Occurrence& At : All) {
    judgeRead(At, Running);
  }
}

}  // namespace

const Rule rules::Frozen{.OnEnd = judgeReads};

}  // namespace graphgen::check
