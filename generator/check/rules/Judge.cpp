// SPDX-License-Identifier: Apache-2.0
//
// Asks each rule about each fact.
#include "check/code/Classes.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/code/Spelled.h"
#include "check/rules/Rule.h"
#include "check/rules/RunOnHost.h"
#include "check/rules/Settled.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace graphgen::check {
namespace {

struct NamedRule {
  llvm::StringLiteral Id;
  const Rule* Its;
};

constexpr NamedRule All[] = {
#define RULE(Name, Id) {Id, &rules::Name},
#include "check/rules/Rules.inc"
};

Rule::Judge judgeOf(const Rule& Its, flow::Fact::Kind What) {
  switch (What) {
    case flow::Fact::Kind::Call:
      return Its.OnCall;
    case flow::Fact::Kind::Write:
      return Its.OnWrite;
    case flow::Fact::Kind::Rebind:
      return Its.OnRebind;
    case flow::Fact::Kind::Assign:
      return Its.OnAssign;
    case flow::Fact::Kind::Read:
      return Its.OnRead;
    case flow::Fact::Kind::Look:
      return Its.OnLook;
    case flow::Fact::Kind::Branch:
      return Its.OnBranch;
    default:
      return nullptr;
  }
}

}  // namespace

clang::SourceLocation whereOf(const flow::Fact& Its) {
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(Its.At)) {
    return Operator->getOperator() == clang::OO_Call ? Operator->getBeginLoc() : Operator->getOperatorLoc();
  }
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(Its.At)) {
    return nameOf(*Call);
  }
  if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(Its.At)) {
    return Binary->getOperatorLoc();
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(Its.At)) {
    return Unary->getOperatorLoc();
  }
  return Its.At->getBeginLoc();
}

std::vector<Note> wayBack(const Way& In, const flow::Fact& Call) {
  std::vector<Note> Notes;
  const flow::Fact* Its = &Call;
  for (const Way* Each = &In; Each; Its = Each->Entered, Each = Each->Caller) {
    if (!Its->Why.empty()) {
      Notes.push_back({Its->WhyAt, Its->Why});
    }
    if (const clang::FunctionDecl& Caller = *Each->Of.Function; !isOfLibrary(Caller)) {
      const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(Its->At);
      const clang::SourceLocation Where = Its->Where.isValid() ? Its->Where : Method ? Method->getExprLoc() : Its->At->getBeginLoc();
      const std::string Name = "'" + scan::instanceName(Caller) + "'";
      Notes.push_back({Where, Its->IsBackward ? "in the backward of what " + Name + " applies here" : "called from " + Name + " here"});
    }
  }
  return Notes;
}

namespace {

/// Of the argument among those of the call, "self" being the first where there is an object; nothing where none has that name.
std::optional<size_t> placeOf(const flow::Fact& Call, llvm::StringRef Parameter, bool HasObject) {
  size_t Given = 0;
  if (!Parameter.getAsInteger(10, Given)) {
    return Given + HasObject;
  }
  if (Call.Operator) {
    const auto& Bound = Call.Operator->Parameters;
    const auto* Found = llvm::find_if(Bound, [&](const Operator::Parameter* Each) { return Each->Name == Parameter; });
    if (Found == Bound.end() && llvm::is_contained({"layout", "device", "pin_memory"}, Parameter)) {
      Found = llvm::find_if(Bound, [](const Operator::Parameter* Each) { return Each->Name == "dtype"; });
      const auto Place = static_cast<unsigned>(Found - Bound.begin()) - (HasObject ? 1 : 0);
      const bool IsOptions = Found != Bound.end() && Place < Call.Function->getNumParams() &&
                             libraryClass(Call.Function->getParamDecl(Place)->getType()) == "TensorOptions";
      Found = IsOptions ? Found : Bound.end();
    }
    return Found == Bound.end() ? std::nullopt : std::optional<size_t>(Found - Bound.begin());
  }
  if (Parameter == "self" && HasObject) {
    return 0;
  }
  const auto Parameters = Call.Function ? Call.Function->parameters() : llvm::ArrayRef<clang::ParmVarDecl*>();
  const auto* Found = llvm::find_if(Parameters, [&](const clang::ParmVarDecl* Each) { return Each->getName() == Parameter; });
  return Found == Parameters.end() ? std::nullopt : std::optional<size_t>(Found - Parameters.begin() + HasObject);
}

}  // namespace

flow::ValueRef Occurrence::argument(llvm::StringRef Parameter) const {
  const bool HasObject = Its.Object != nullptr;
  const std::optional<size_t> Place = placeOf(Its, Parameter, HasObject);
  if (!Place) {
    return nullptr;
  }
  if (HasObject && *Place == 0) {
    return Its.Object;
  }
  const size_t Argument = *Place - HasObject;
  const bool IsGiven = Argument < Its.Arguments.size() && !llvm::isa<clang::CXXDefaultArgExpr>(Its.Expressions[Argument]);
  return IsGiven ? Its.Arguments[Argument] : nullptr;
}

const clang::Expr* Occurrence::expression(llvm::StringRef Parameter) const {
  const bool HasObject = Its.Object != nullptr;
  const std::optional<size_t> Place = placeOf(Its, Parameter, HasObject);
  if (!Place || (HasObject && *Place == 0) || *Place - HasObject >= Its.Expressions.size()) {
    return nullptr;
  }
  const clang::Expr* Given = Its.Expressions[*Place - HasObject];
  return llvm::isa<clang::CXXDefaultArgExpr>(Given) ? nullptr : Given;
}

bool Occurrence::isTensor(llvm::StringRef Parameter) const {
  const clang::Expr* Given = expression(Parameter);
  return Parameter == "self" && Its.Object ? true : Given && check::isTensor(Given->getType());
}

/// What a call that is made once may do: warm-ups do it, and no replay.
static bool isDoneBefore(const Occurrence& At, llvm::StringRef Id) {
  return llvm::is_contained({"graphed-host-copy", "graphed-host-item", "graphed-host-memory", "graphed-host-state", "graphed-rebound"},
                            Id) &&
         isSettled(At);
}

/// As the setters of TORCH_ARG are: what they do is reported where they are called.
static bool isOfLibrarysMacro(const clang::FunctionDecl& F) {
  const clang::SourceManager& Sources = F.getASTContext().getSourceManager();
  return F.getLocation().isMacroID() && F.getBody() && Sources.isInSystemHeader(Sources.getSpellingLoc(F.getBody()->getBeginLoc()));
}

/// Of a write its target, of anything else all that is looked at.
static std::vector<const flow::PathNode*> placesBehind(const flow::Fact& Its) {
  std::vector<const flow::PathNode*> Places;
  const auto Add = [&](const flow::PathNode* Each) {
    if (Each->isOutside() && !llvm::is_contained(Places, Each->root())) {
      Places.push_back(Each->root());
    }
  };
  std::vector<flow::ValueRef> Values = {Its.Object};
  if (Its.What != flow::Fact::Kind::Write && Its.What != flow::Fact::Kind::Rebind && Its.What != flow::Fact::Kind::Assign) {
    Values.push_back(Its.From);
    llvm::append_range(Values, Its.Arguments);
  }
  for (const flow::ValueRef Each : Values) {
    if (Each) {
      llvm::for_each(Each->Targets, [&](const flow::Target& One) { Add(One.Of); });
      llvm::for_each(Each->Sources, Add);
    }
  }
  return Places;
}

void Occurrence::tell(Finding New) const {
  if (isDoneBefore(*this, New.Check)) {
    return;
  }
  const Way* Told = &In;
  for (; Told->Caller && isOfLibrarysMacro(*Told->Of.Function); Told = Told->Caller) {
    New.Where = whereOf(*Told->Entered);
    New.Range = Told->Entered->At->getSourceRange();
  }
  const clang::FunctionDecl& Body = *Told->Of.Function;
  New.Where = Body.getASTContext().getSourceManager().getTopMacroCallerLoc(New.Where);
  New.In = &patternOf(Body);
  if (New.Fixes.empty() && Told == &In && !In.Caller && isRightOnHost(New.Check)) {
    New.Fixes = runOnHost(Body, *Its.At);
  }
  New.About = placesBehind(Its);
  New.Way = Told->Caller ? wayBack(*Told->Caller, *Told->Entered) : std::vector<Note>();
  const Way* First = Told;
  while (First->Caller) {
    First = First->Caller;
  }
  New.Callables = {scan::instanceName(*First->Of.Function)};
  Found.add(std::move(New));
}

/// Of a branch its condition.
static clang::SourceRange rangeOf(const flow::Fact& Its) {
  return Its.What == flow::Fact::Kind::Branch ? Its.Expressions[0]->getSourceRange() : Its.At->getSourceRange();
}

void Occurrence::report(llvm::StringRef Id, clang::SourceLocation Where, const llvm::Twine& Message, std::vector<Note> Notes,
                        std::vector<clang::FixItHint> Fixes) const {
  tell({Id, Where, rangeOf(Its), Message.str(), std::move(Notes), isCertain(), {}, std::move(Fixes)});
}

void Occurrence::report(const clang::Expr& Where, const llvm::Twine& Message, std::vector<Note> Notes) const {
  tell({Rule, Where.getBeginLoc(), Where.getSourceRange(), Message.str(), std::move(Notes), isCertain(), {}});
}

void Occurrence::suspect(llvm::StringRef Id, clang::SourceLocation Where, const llvm::Twine& Message, std::vector<Note> Notes,
                         std::vector<clang::FixItHint> Fixes) const {
  tell({Id, Where, rangeOf(Its), Message.str(), std::move(Notes), false, {}, std::move(Fixes)});
}

void Occurrence::tellReplaced(const flow::PathNode& Of, bool MayBeError, const llvm::Twine& Message) const {
  Finding New{Rule, where(), rangeOf(Its), Message.str(), {}, MayBeError && isCertain(), {}};
  New.Replaced = &Of;
  tell(std::move(New));
}

std::deque<Way> waysOf(const flow::Summary& Whole) {
  std::deque<Way> Ways = {Way{Whole}};
  std::set<std::pair<const flow::Summary*, bool>> Seen;
  for (size_t Next = 0; Next < Ways.size(); ++Next) {
    const Way& In = Ways[Next];
    for (const flow::Fact& Each : In.Of.Facts) {
      const bool IsCertain = In.IsCertain && Each.IsCertain && Each.IsLikely;
      if (Each.Into && Seen.emplace(Each.Into.get(), IsCertain).second) {
        Ways.push_back({*Each.Into, &In, &Each, IsCertain});
      }
    }
  }
  return Ways;
}

Findings judge(const flow::Summary& Whole, AnnotationsOfOne Annotations, const UnitIndex& Unit, const Changes& Changed,
               const Readers& Others, llvm::SetVector<const clang::FunctionDecl*>& Judged) {
  Findings Found;
  const std::deque<Way> Ways = waysOf(Whole);
  std::vector<Occurrence> Everything;
  for (const Way& In : Ways) {
    Judged.insert(In.Of.Function);
    for (const flow::Fact& Each : In.Of.Facts) {
      Everything.push_back({"", Each, In, Annotations, Unit, Changed, Others, Found});
      for (const NamedRule& One : All) {
        if (const Rule::Judge Judge = judgeOf(*One.Its, Each.What)) {
          Judge({One.Id, Each, In, Annotations, Unit, Changed, Others, Found});
        }
      }
    }
  }
  for (const NamedRule& One : All) {
    if (One.Its->OnEnd && !Everything.empty()) {
      One.Its->OnEnd(Everything);
    }
  }
  return Found;
}

}  // namespace graphgen::check
