// SPDX-License-Identifier: Apache-2.0
//
// A stream is made current, and nowhere in the callable does a stream wait for an event.
#include "check/code/Library.h"
#include "check/rules/Rule.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isCurrentAlready(const Occurrence& Change) {
  const flow::ValueRef Given = Change.argument("0");
  const auto* Made = Given ? llvm::dyn_cast_if_present<clang::CallExpr>(Given->Made) : nullptr;
  return Made && Made->getDirectCallee() && Made->getDirectCallee()->getName() == "getCurrentCUDAStream";
}

/// Of another file: it is unknown whether it makes a stream wait.
bool isUnseen(const Occurrence& At) {
  const clang::FunctionDecl* Called = At.Its.What == flow::Fact::Kind::Call ? At.Its.Function : nullptr;
  return Called && !isOfLibrary(*Called) && !Called->isExternC() && !Called->isDefined() && !Called->isImplicit();
}

void judgeStreams(llvm::ArrayRef<Occurrence> All) {
  if (llvm::any_of(All, [](const Occurrence& Each) { return hasTrait(Each, Trait::JoinsStream); })) {
    return;
  }
  const bool IsPerhaps = llvm::any_of(All, isUnseen);
  for (const Occurrence& Each : All) {
    if (Each.Its.What != flow::Fact::Kind::Call || !hasTrait(Each, Trait::ChangesStream) || isCurrentAlready(Each)) {
      continue;
    }
    constexpr llvm::StringLiteral Message = "work on another stream, which nothing in the callable waits for, is not part of the graph";
    if (IsPerhaps) {
      Each.suspect("graphed-stream", Each.where(), Message);
    } else {
      Each.report("graphed-stream", Each.where(), Message);
    }
  }
}

}  // namespace

const Rule rules::Stream{.OnEnd = judgeStreams};

}  // namespace graphgen::check
