// SPDX-License-Identifier: Apache-2.0
//
// An argument is written, and no annotation marks it `inplace`: a graph writes to its own copy.
#include "check/rules/Rule.h"
#include "check/rules/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

void judgeUnmarkedWrite(const Occurrence& At) {
  const bool IsToldOf = !At.Its.IsFurther && !At.Its.Object->MayBeOther;
  for (const flow::Target& Each : !IsToldOf ? llvm::ArrayRef<flow::Target>() : At.Its.Object->Targets) {
    if (Each.Of->from() != flow::Root::Argument || isFlagged(*Each.Of, annotation::Flag::Inplace, At.Annotations)) {
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

}  // namespace

const Rule rules::UnmarkedWrite{.OnWrite = judgeUnmarkedWrite};

}  // namespace graphgen::check
