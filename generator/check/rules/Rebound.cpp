// SPDX-License-Identifier: Apache-2.0
//
// A tensor is assigned to what outlives the call. What depends on shapes only is the same in each call: no finding.
#include "check/flow/Types.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"
#include "scan/MemberTypes.h"
#include "scan/WatchedMembers.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace graphgen::check {
namespace {

/// Each call needs what the one before has left. Of an object some tensors may stay as they are, and numbers are none.
bool isCarried(const flow::Value& New, flow::Path To) {
  const bool IsObject = !holdsTensors(typeOf(*To));
  const auto IsIt = [&](flow::Path Each) {
    return (Each->isWithin(*To) && (!IsObject || holdsTensors(typeOf(*Each)))) || To->isWithin(*Each);
  };
  if (IsObject) {
    return llvm::any_of(New.Sources, IsIt);
  }
  return llvm::any_of(New.Sources, IsIt) || llvm::any_of(New.Targets, [&](const flow::Target& Each) { return IsIt(Each.Of); });
}

/// The body assigns it nowhere else, and computes from what the last call has left there.
bool isReadFirst(const Occurrence& At, flow::Path To) {
  const auto IsIt = [&](flow::Path Each) { return Each->isWithin(*To) || To->isWithin(*Each); };
  const auto AssignsElsewhere = [&](const flow::Fact& Each) {
    return Each.What == flow::Fact::Kind::Rebind && &Each != &At.Its &&
           llvm::any_of(Each.Object->Targets, [&](const flow::Target& One) { return IsIt(One.Of); });
  };
  const auto Reads = [&](const flow::Fact& Each) {
    return Each.What == flow::Fact::Kind::Call && Each.Operator && Each.From && llvm::any_of(Each.From->Sources, IsIt);
  };
  return llvm::none_of(At.In.Of.Facts, AssignsElsewhere) && llvm::any_of(At.In.Of.Facts, Reads);
}

/// It is made of shapes and constants, or it is what was there, all of it.
bool isSame(const flow::Value& New, flow::Path To) {
  const bool IsItself = llvm::any_of(New.Targets, [&](const flow::Target& Each) { return Each.Of == To && !Each.IsPart; });
  return IsItself || (New.Sources.empty() && New.Targets.empty() && !New.MayBeOther);
}

/// A number or a list of any length, which a cache is known by.
bool isNumberOfObject(const flow::Target& Each) {
  const clang::QualType Type = typeOf(*Each.Of);
  if (Each.Of->from() != flow::Root::Object || Type.isNull()) {
    return false;
  }
  const flow::TypeKind Kind = flow::kindOf(Type);
  const bool IsList = Kind == flow::TypeKind::Sequence || Kind == flow::TypeKind::Map;
  return IsList || (!holdsTensors(Type) && !holdsModule(Type) && tensorsOf(Type).empty());
}

/// The callable's own tensors, each of them looked at by every call, in a member of its object.
bool isLookedAt(const Occurrence& At, const flow::PathNode& To) {
  const auto* Field = llvm::dyn_cast_or_null<clang::FieldDecl>(To.named());
  if (To.from() != flow::Root::Object || !Field || At.Annotations.empty()) {
    return false;
  }
  const std::vector<const clang::FieldDecl*> Tensors = tensorFieldsOf(*Field);
  return !Tensors.empty() && llvm::all_of(Tensors, [&](const clang::FieldDecl* Each) {
    return scan::isWatchedMember(*At.Annotations.front(), *Each, /*IsNamed=*/true);
  });
}

/// Captures take the tensor that is there, and each call puts the new one in its place. Beside numbers that the body changes, which decide
/// about caches, and in a module, whose numbers nothing looks at, that is so of what the body reads.
bool callsCarry(const Occurrence& At, const flow::Target& To) {
  const auto* Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(At.Annotations.empty() ? nullptr : At.Annotations.front()->Declaration);
  const auto ChangesNumber = [&](const flow::Fact& Each) {
    return Each.What == flow::Fact::Kind::Rebind && &Each != &At.Its && llvm::any_of(Each.Object->Targets, isNumberOfObject);
  };
  const auto Reads = [&](const flow::Fact& Each) {
    const auto IsIt = [&](flow::Path Source) { return Source->isWithin(*To.Of) || To.Of->isWithin(*Source); };
    return Each.What == flow::Fact::Kind::Call && Each.Operator && Each.From && llvm::any_of(Each.From->Sources, IsIt);
  };
  return Method && isLookedAt(At, *To.Of) &&
         ((!scan::isModule(*Method->getParent()) && llvm::none_of(At.In.Of.Facts, ChangesNumber)) || llvm::any_of(At.In.Of.Facts, Reads));
}

bool isSwap(const Occurrence& At) { return At.Its.Function && operationOf(At.Its) == "swap"; }

/// Two tensors of the program's that take turns.
bool takesTurns(const Occurrence& At) {
  return isSwap(At) && llvm::any_of(At.Its.From->Targets, [](const flow::Target& Each) { return Each.Of->outlivesCall(); });
}

/// Both are members that calls carry, or one is the call's own.
bool swapsMembers(const Occurrence& At) {
  return llvm::all_of(At.Its.From->Targets, [&](const flow::Target& Each) { return !Each.Of->outlivesCall() || isLookedAt(At, *Each.Of); });
}

void judgeModule(const Occurrence& At, const flow::Target& To) {
  const std::string Name = wordsOf(*To.Of);
  const bool IsOfAnother = llvm::any_of(At.Its.From->Targets, [](const flow::Target& Each) { return Each.Of->outlivesCall(); });
  if (isSwap(At) && IsOfAnother && !At.In.Caller) {
    At.report(Name + " is another module for each call, which a graph cannot follow");
  } else if (At.isCertain() || IsOfAnother) {
    At.suspect(Name + " is given another module at the capture only, and replays use the tensors of the capture's");
  }
}

void judgeRebound(const Occurrence& At) {
  for (const flow::Target& Each : At.Its.Object->Targets) {
    if (!Each.Of->isOutside() || !At.Its.From) {
      continue;
    }
    const clang::QualType Type = typeOf(*Each.Of);
    const std::vector<std::string> Parts = tensorsOf(Type);
    const std::string Name =
        Parts.empty() ? wordsOf(*Each.Of) : "each tensor of " + wordsOf(*Each.Of) + " ('" + llvm::join(Parts, "', '") + "')";
    if (Each.Of->outlivesCall() && holdsModule(Type)) {
      judgeModule(At, Each);
    }
    if (At.Its.Grows || (!holdsTensors(Type) && Parts.empty())) {
      continue;
    }
    if (isGivenBack(*Each.Of, At.Annotations)) {
      continue;
    }
    if (Each.Of->from() == flow::Root::Argument) {
      const bool IsMarked = isFlagged(*Each.Of, annotation::Flag::Inplace, At.Annotations);
      At.report(Name + " is made another tensor, which ends a capture; write into it with 'copy_'" +
                (IsMarked ? ", or leave out 'inplace', so that each call gives the new one back"
                          : " and mark it 'inplace', or return the new one"));
    } else if (isSame(*At.Its.From, Each.Of) || (callsCarry(At, Each) && (!isSwap(At) || swapsMembers(At)))) {
      continue;
    } else if (!At.In.Caller && (takesTurns(At) || isCarried(*At.Its.From, Each.Of))) {
      constexpr llvm::StringLiteral Carried = " another tensor for each call, made from the last one, which a graph cannot follow";
      if (Parts.empty()) {
        At.report(Name + " is" + Carried);
      } else {  // another of its tensors may be the one that is made from the last
        At.suspect(Name + " may be" + Carried);
      }
    } else if (!At.In.Caller && Parts.empty() && isReadFirst(At, Each.Of)) {
      At.report(
          Name +
          " is another tensor for each call, and each call reads the last one's, which a graph cannot follow; write into it with 'copy_'");
    } else {
      At.suspect(Name + (At.Its.Function && !isSwap(At) ? " is filled" : " is assigned") +
                 " at the capture only, and then shows memory that each replay overwrites");
    }
  }
}

}  // namespace

const Rule rules::Rebound{.OnRebind = judgeRebound};

}  // namespace graphgen::check
