// SPDX-License-Identifier: Apache-2.0
#include "check/Outline.h"

#include "check/OutlineBody.h"
#include "check/flow/Interpreter.h"

#include <map>

namespace graphgen::check {

std::vector<std::optional<annotation::SourceGraph>> outlinesOf(llvm::ArrayRef<scan::ScannedCallable> Callables,
                                                               const scan::Bodies& Bodies) {
  const UnitIndex Unit(Bodies.context());
  const join::CallsElsewhere Elsewhere(Bodies, Unit);
  std::map<const clang::FunctionDecl*, std::optional<annotation::SourceGraph>> Known;
  for (const auto& [Function, Annotations] : byFunction(Callables)) {
    if (const clang::FunctionDecl* Body = Bodies.definitionOf(*Function)) {
      flow::Interpreter Facts(Bodies, Unit);
      Known[Function] = Outliner(Elsewhere, Bodies.context().getSourceManager()).run(*Facts.run(*Body, Annotations));
    }
  }
  std::vector<std::optional<annotation::SourceGraph>> Made;
  llvm::transform(Callables, std::back_inserter(Made), [&](const scan::ScannedCallable& Each) { return Known[Each.Declaration]; });
  return Made;
}

}  // namespace graphgen::check
