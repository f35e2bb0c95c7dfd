// SPDX-License-Identifier: Apache-2.0
//
// A tensor is assigned to what outlives the call. What depends on shapes only is the same in each call: no finding.
#include "check/code/Spelled.h"
#include "check/flow/Learned.h"
#include "check/flow/Types.h"
#include "check/rules/Carried.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"
#include "scan/Types.h"

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

bool isSwap(const Occurrence& At) { return At.Its.Function && operationOf(At.Its) == "swap"; }

/// Two tensors of the program's that take turns.
bool takesTurns(const Occurrence& At) {
  return isSwap(At) && llvm::any_of(At.Its.From->Targets, [](const flow::Target& Each) { return Each.Of->outlivesCall(); });
}

/// What members held is put into another one, all of which calls carry, whether or not the body reads it.
bool movesMembers(const Occurrence& At, const flow::Target& To) {
  const llvm::ArrayRef<flow::Target> From = At.Its.From->Targets;
  const bool IsOne = isSwap(At) || flow::kindOf(typeOf(*To.Of)) == flow::TypeKind::Tensor;
  return IsOne && isLookedAt(At.Annotations, *To.Of) && !From.empty() && !At.Its.From->MayBeOther &&
         llvm::all_of(From, [&](const flow::Target& Each) { return !Each.IsView && !Each.IsPart && isLookedAt(At.Annotations, *Each.Of); });
}

/// Of a swap the other one may be the call's own.
bool areCarried(const Occurrence& At, const flow::Target& To) {
  const auto IsCarried = [&](const flow::Target& Each) { return !Each.Of->outlivesCall() || isLookedAt(At.Annotations, *Each.Of); };
  return movesMembers(At, To) ||
         (callsCarry(At.Its, At.In, At.Annotations, To) && (!isSwap(At) || llvm::all_of(At.Its.From->Targets, IsCarried)));
}

/// What is assigned, as the source has it; null where it is none expression.
const clang::Expr* assignedBy(const Occurrence& At) {
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(At.Its.At);
  return Operator && Operator->getOperator() == clang::OO_Equal ? &spelled(*Operator->getArg(1)) : nullptr;
}

/// A step leaves there what gradients go back through, which no capture can.
bool judgeHistory(const Occurrence& At, const flow::Target& To, const std::string& Name) {
  if (!areOfStep(At.Annotations) || !holdsTensors(typeOf(*To.Of)) || isSwap(At)) {
    return false;
  }
  const clang::Expr* New = assignedBy(At);
  if (New && flow::turnsGradOn(*New)) {
    At.report(
        Name +
        " is another leaf in each call, with which no step is captured; write into the one that is there, without gradients: " + "'copy_'");
    return true;
  }
  if (!At.Its.From->Differentiable.empty()) {
    At.suspect(Name + " keeps a history, with which no step is captured; assign its 'detach()'");
    return true;
  }
  return false;
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

/// Each of its captures has the tensor that was there.
void judgeReader(const Occurrence& At, const flow::Target& To, const std::string& Name) {
  const clang::FunctionDecl* Callable = At.Annotations.empty() ? nullptr : At.Annotations.front()->Declaration;
  const Readers::Read* Read = Callable ? At.Others.readOf(*To.Of, *Callable) : nullptr;
  if (!Read) {
    return;
  }
  const std::string Reader = "'" + scan::instanceName(*Read->Callable) + "'";
  At.suspect("graphed-rebound", At.where(),
             Name + " is made another tensor by each call of '" + scan::instanceName(*Callable) + "', with which no capture of " + Reader +
                 " goes on; write into it with 'copy_'",
             {{Read->Where, Reader + " reads it here"}});
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
    } else if (isSame(*At.Its.From, Each.Of) || judgeHistory(At, Each, Name)) {
      continue;
    } else if (areCarried(At, Each)) {
      judgeReader(At, Each, Name);
    } else if (!At.In.Caller && (takesTurns(At) || isCarried(*At.Its.From, Each.Of))) {
      constexpr llvm::StringLiteral Carried = " another tensor for each call, made from the last one, which a graph cannot follow";
      if (Parts.empty() && !isSwap(At)) {
        At.tellReplaced(*Each.Of, /*MayBeError=*/true, Name + " is" + Carried);
      } else if (Parts.empty()) {
        At.report(Name + " is" + Carried);
      } else {  // another of its tensors may be the one that is made from the last
        At.suspect(Name + " may be" + Carried);
      }
    } else if (!At.In.Caller && Parts.empty() && isReadFirst(At, Each.Of)) {
      At.tellReplaced(*Each.Of, /*MayBeError=*/true,
                      Name +
                          " is another tensor for each call, and each call reads the last one's, which a graph cannot follow; write into "
                          "it with 'copy_'");
    } else {
      At.suspect(Name + (At.Its.Function && !isSwap(At) ? " is filled" : " is assigned") +
                 " at the capture only, and then shows memory that each replay overwrites");
    }
  }
}

}  // namespace

const Rule rules::Rebound{.OnRebind = judgeRebound};

}  // namespace graphgen::check
