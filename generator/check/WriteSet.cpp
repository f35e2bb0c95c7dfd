// SPDX-License-Identifier: Apache-2.0
//
// The facts that rules check, in words.
#include "check/WriteSet.h"

#include "check/flow/Interpreter.h"
#include "check/rules/Carried.h"
#include "check/rules/Rule.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace graphgen::check {
namespace {

constexpr llvm::StringLiteral Refused = "refused: the original function runs";
constexpr llvm::StringLiteral KeptInPlace = "kept in place";
constexpr llvm::StringLiteral CaptureOnly = "done at the capture only";
constexpr llvm::StringLiteral ByEachCall = "assigned by each call";

/// What a write to the target comes to.
llvm::StringRef fateOf(const flow::Fact& Its, const Way& In, const flow::Target& To, AnnotationsOfOne Annotations) {
  const flow::PathNode& Target = *To.Of;
  const bool IsOfValues = Its.What == flow::Fact::Kind::Write;
  if (Its.What == flow::Fact::Kind::Rebind && callsCarry(Its, In, Annotations, To)) {
    return ByEachCall;
  }
  if (!IsOfValues && isGivenBack(Target, Annotations)) {
    return "returned by each call";
  }
  if (Target.from() == flow::Root::Argument) {
    if (!IsOfValues || !isFlagged(Target, annotation::Flag::Inplace, Annotations)) {
      return Refused;
    }
    return isFlagged(Target, annotation::Flag::Static, Annotations) ? KeptInPlace : "copied back to the caller's tensor";
  }
  if (IsOfValues) {
    return KeptInPlace;
  }
  return Its.What == flow::Fact::Kind::Rebind || isOf(Its, Trait::ChangesMemory) ? CaptureOnly : Refused;
}

/// The places whose tensors the fact writes, or that it gives other ones.
flow::ValueRef writtenBy(const flow::Fact& Its) {
  switch (Its.What) {
    case flow::Fact::Kind::Write:
    case flow::Fact::Kind::Rebind:
      return Its.Object;
    case flow::Fact::Kind::Call:
      return madeAnotherBy(Its);
    default:
      return nullptr;
  }
}

bool isTold(const flow::Fact& Its, const flow::Target& To) {
  if (!To.Of->isOutside()) {
    return false;
  }
  switch (Its.What) {
    case flow::Fact::Kind::Rebind: {
      const clang::QualType Type = typeOf(*To.Of);
      const bool IsFilled = Its.Grows && To.Of->from() == flow::Root::Argument;
      return Its.From && !IsFilled && (holdsTensors(Type) || holdsModule(Type) || !tensorsOf(Type).empty());
    }
    case flow::Fact::Kind::Call:
      return To.IsExact && !To.IsView;
    default:
      return true;
  }
}

class WriteSet {
 public:
  explicit WriteSet(AnnotationsOfOne Annotations) : Annotations(Annotations) {}

  void add(const flow::Fact& Its, const Way& In) {
    const flow::ValueRef Written = writtenBy(Its);
    for (const flow::Target& Each : Written ? Written->Targets : llvm::ArrayRef<flow::Target>()) {
      if (isTold(Its, Each)) {
        const bool IsPerhaps = !Each.IsExact || Written->MayBeOther || !Its.IsLikely;
        add({wordsOf(*Each.Of) + (IsPerhaps ? ", or a copy of it" : ""), operationOf(Its), fateOf(Its, In, Each, Annotations).str()},
            whereOf(Its));
      }
    }
  }

  std::vector<annotation::Write> take(const clang::SourceManager& Sources) {
    llvm::stable_sort(Found, [&](const Placed& A, const Placed& B) { return Sources.isBeforeInTranslationUnit(A.Where, B.Where); });
    std::vector<annotation::Write> Writes;
    llvm::transform(Found, std::back_inserter(Writes), [](Placed& Each) { return std::move(Each.What); });
    return Writes;
  }

 private:
  struct Placed {
    annotation::Write What;
    clang::SourceLocation Where;
  };

  void add(annotation::Write New, clang::SourceLocation Where) {
    const auto IsSame = [&](const Placed& Each) { return Each.What.Target == New.Target && Each.What.Operation == New.Operation; };
    if (llvm::none_of(Found, IsSame)) {
      Found.push_back({std::move(New), Where});
    }
  }

  AnnotationsOfOne Annotations;
  std::vector<Placed> Found;
};

}  // namespace

std::vector<std::optional<std::vector<annotation::Write>>> writesInWords(llvm::ArrayRef<scan::ScannedCallable> Callables,
                                                                         const scan::Bodies& Bodies) {
  std::vector<std::optional<std::vector<annotation::Write>>> Told;
  if (Callables.empty()) {
    return Told;
  }
  const clang::ASTContext& Context = Callables.front().Declaration->getASTContext();
  const UnitIndex Unit(Context);
  flow::Interpreter Facts(Bodies, Unit);
  std::map<const clang::FunctionDecl*, std::vector<annotation::Write>> Known;
  for (const auto& [Function, Annotations] : byFunction(Callables)) {
    if (const clang::FunctionDecl* Body = Bodies.definitionOf(*Function)) {
      WriteSet All(Annotations);
      const std::shared_ptr<const flow::Summary> Whole = Facts.run(*Body, Annotations);
      for (const Way& In : waysOf(*Whole)) {
        llvm::for_each(In.Of.Facts, [&](const flow::Fact& Each) { All.add(Each, In); });
      }
      Known[Function] = All.take(Context.getSourceManager());
    }
  }
  for (const scan::ScannedCallable& Each : Callables) {
    const auto Found = Known.find(Each.Declaration);
    Told.push_back(Found == Known.end() ? std::nullopt : std::optional(Found->second));
  }
  return Told;
}

}  // namespace graphgen::check
