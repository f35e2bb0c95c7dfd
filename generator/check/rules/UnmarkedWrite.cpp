// SPDX-License-Identifier: Apache-2.0
//
// An argument is written, and no annotation marks it `inplace`: a graph writes to its own copy. Or a reference to non-const is neither
// written nor assigned.
#include "check/code/ReadOnly.h"
#include "check/rules/Rule.h"
#include "check/rules/Words.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

void judgeUnmarkedWrite(const Occurrence& At) {
  const bool IsToldOf = !At.Its.IsFurther && !At.Its.Object->MayBeOther;
  for (const flow::Target& Each : !IsToldOf ? llvm::ArrayRef<flow::Target>() : At.Its.Object->Targets) {
    if (Each.Of->from() != flow::Root::Argument || unseenAt(*Each.Of, At.Annotations) ||
        isFlagged(*Each.Of, annotation::Flag::Inplace, At.Annotations)) {
      continue;
    }
    const std::string Rest = wordsOf(*Each.Of) + ", which the annotation does not mark 'inplace'";
    if (Each.IsExact && At.Its.IsLikely) {
      At.report(At.Rule, At.where(), "'" + operationOf(At.Its) + "' writes to " + Rest, {},
                fixesThatMark(*Each.Of, annotation::Flag::Inplace, At.Annotations));
    } else {
      At.suspect(At.Rule, At.where(), "'" + operationOf(At.Its) + "' may write to " + Rest);
    }
  }
}

bool writesTo(const Occurrence& At, const clang::ParmVarDecl& Parameter) {
  return At.Its.What == flow::Fact::Kind::Write &&
         llvm::any_of(At.Its.Object->Targets, [&](const flow::Target& Each) { return Each.Of->root()->declared() == &Parameter; });
}

/// Each call would return it needlessly.
void judgeReferences(llvm::ArrayRef<Occurrence> All) {
  if (All.front().Annotations.empty()) {
    return;
  }
  const Way* Own = &All.front().In;
  while (Own->Caller) {
    Own = Own->Caller;
  }
  const clang::FunctionDecl& Definition = *Own->Of.Function;
  for (const clang::ParmVarDecl* Each : Definition.parameters()) {
    const auto IsGivenBack = [Each](const scan::ScannedCallable* Annotated) {
      const annotation::Bound& Its = Annotated->Callable.Arguments[Each->getFunctionScopeIndex()];
      return Its.Kind == annotation::TypeKind::TensorLvalue && Its.IsChangeable;
    };
    const bool IsWritten = llvm::any_of(All, [&](const Occurrence& At) { return writesTo(At, *Each); });
    if (IsWritten || !llvm::all_of(All.front().Annotations, IsGivenBack) || !isReadOnly(*Each, Definition)) {
      continue;
    }
    const Occurrence At{
        "", All.front().Its, *Own, All.front().Annotations, All.front().Unit, All.front().Changed, All.front().Others, All.front().Found};
    At.tell({"graphed-unmarked-write",
             Each->getLocation(),
             Each->getSourceRange(),
             "the argument '" + Each->getNameAsString() + "' is neither assigned nor written: declare it 'const " +
                 Each->getType().getNonReferenceType().getAsString(Each->getASTContext().getPrintingPolicy()) + " &'",
             {},
             false,
             {}});
  }
}

}  // namespace

const Rule rules::UnmarkedWrite{.OnWrite = judgeUnmarkedWrite, .OnEnd = judgeReferences};

}  // namespace graphgen::check
