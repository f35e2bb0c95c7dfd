// SPDX-License-Identifier: Apache-2.0
//
// A tensor is assigned to what outlives the call. What depends on shapes only is the same in each call: no finding.
#include "check/flow/Types.h"
#include "check/rules/Rule.h"
#include "check/rules/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isOfTensor(const flow::PathNode& Of) {
  const clang::ValueDecl* Named = Of.named();
  clang::QualType Type = Named ? Named->getType() : clang::QualType();
  if (!Type.isNull() && Of.isOneOfSeveral()) {
    Type = flow::elementOf(Type);
  }
  return !Type.isNull() && flow::kindOf(Type) == flow::TypeKind::Tensor;
}

/// Each call needs what the one before has left.
bool isCarried(const flow::Value& New, flow::Path To) {
  const auto IsIt = [&](flow::Path Each) { return Each == To; };
  return llvm::any_of(New.Sources, IsIt);
}

/// It is made of shapes and constants, or it is what was there.
bool isSame(const flow::Value& New, flow::Path To) {
  const bool IsItself = llvm::any_of(New.Targets, [&](const flow::Target& Each) { return Each.Of == To; });
  return IsItself || (New.Sources.empty() && New.Targets.empty() && !New.MayBeOther);
}

void judgeRebound(const Occurrence& At) {
  for (const flow::Target& Each : At.Its.Object->Targets) {
    if (!Each.Of->isOutside() || !isOfTensor(*Each.Of) || !At.Its.From) {
      continue;
    }
    const std::string Name = wordsOf(*Each.Of);
    if (Each.Of->from() == flow::Root::Argument) {
      At.report(Name + " is made another tensor, which ends a capture");
    } else if (isSame(*At.Its.From, Each.Of)) {
      continue;
    } else if (!At.In.Caller && isCarried(*At.Its.From, Each.Of)) {
      At.report(Name + " is another tensor for each call, made from the last one, which a graph cannot follow");
    } else {
      At.suspect(Name + (Each.Of->isOneOfSeveral() ? " is filled" : " is assigned") +
                 " at the capture only, and then shows memory that each replay overwrites");
    }
  }
}

}  // namespace

const Rule rules::Rebound{.OnRebind = judgeRebound};

}  // namespace graphgen::check
