// SPDX-License-Identifier: Apache-2.0
//
// What the annotation marks `ignore` is used, or what it marks `out` before the callable has assigned it. Reported once, where it is first.
#include "check/rules/Rule.h"
#include "check/rules/Words.h"

#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace graphgen::check {
namespace {

using flow::Fact;

bool isAssignment(const Fact& Its) { return Its.Function && Its.Function->getOverloadedOperator() == clang::OO_Equal; }

/// A function that is not an operator may assign what it is given so.
bool mayAssign(const Fact& Its, size_t Place) {
  const bool IsKnown = Its.Operator || !Its.Function || Place >= Its.Function->getNumParams();
  const clang::QualType Type = IsKnown ? clang::QualType() : Its.Function->getParamDecl(static_cast<unsigned>(Place))->getType();
  return !Type.isNull() && Type->isLValueReferenceType() && !Type->getPointeeType().isConstQualified();
}

std::vector<flow::ValueRef> valuesUsedBy(const Fact& Its) {
  switch (Its.What) {
    case Fact::Kind::Call: {
      std::vector<flow::ValueRef> Used = Its.Elements;
      for (const auto& [Place, Given] : llvm::enumerate(Its.Arguments)) {
        Used.push_back(mayAssign(Its, Place) ? nullptr : Given);
      }
      if (!isAssignment(Its)) {
        Used.push_back(Its.Object);
      }
      return Used;
    }
    case Fact::Kind::Branch:
    case Fact::Kind::Look:
    case Fact::Kind::Rebind:
      return {Its.From};
    default:
      return {};
  }
}

class Uses {
 public:
  explicit Uses(llvm::ArrayRef<Occurrence> All) {
    for (const Occurrence& Each : All) {
      if (Each.Its.What == Fact::Kind::Enter) {
        Entered.insert(Each.Its.At);
      }
    }
  }

  void tell(const Occurrence& At) {
    if (At.Its.What == Fact::Kind::Call && Entered.count(At.Its.At) > 0) {
      return;
    }
    for (const flow::ValueRef Each : valuesUsedBy(At.Its)) {
      if (Each) {
        llvm::for_each(Each->Targets, [&](const flow::Target& To) { tell(At, *To.Of); });
        llvm::for_each(Each->Sources, [&](flow::Path From) { tell(At, *From); });
      }
    }
    const bool IsAssigned = At.Its.What == Fact::Kind::Rebind && At.Its.Object;
    for (const flow::Target& To : IsAssigned ? llvm::ArrayRef<flow::Target>(At.Its.Object->Targets) : llvm::ArrayRef<flow::Target>()) {
      const annotation::Bound* Its = unseenAt(*To.Of, At.Annotations);
      if (Its && annotation::isSaid(*Its, annotation::UnseenKind::Ignore) && Told.insert(Its->Path).second) {
        At.report(wordsOf(*To.Of) + " is assigned, but the annotation ignores it: replays assign nothing; say what it is");
      }
    }
  }

 private:
  void tell(const Occurrence& At, const flow::PathNode& Of) {
    const annotation::Bound* Its = unseenAt(Of, At.Annotations);
    if (!Its || !Told.insert(Its->Path).second) {
      return;
    }
    const bool IsOut = annotation::isSaid(*Its, annotation::UnseenKind::Out);
    At.report(wordsOf(Of) +
              (IsOut ? " is used before it is assigned, but 'out' says that no call looks at what it was; say its dtype and shape"
                     : " is used, but the annotation ignores it: replays keep what the captured call had; say what it is"));
  }

  std::set<const clang::Stmt*> Entered;  // calls of bodies, which are asked themselves
  std::set<std::string> Told;            // by their paths
};

void judgeUses(llvm::ArrayRef<Occurrence> All) {
  Uses Seen(All);
  for (const Occurrence& Each : All) {
    Occurrence At = Each;
    At.Rule = "graphed-unseen";
    Seen.tell(At);
  }
}

}  // namespace

const Rule rules::Unseen{.OnEnd = judgeUses};

}  // namespace graphgen::check
