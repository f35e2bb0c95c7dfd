// SPDX-License-Identifier: Apache-2.0
//
// Only the files that hold annotations are walked through: all of LibTorch's headers take long.
#include "scan/Definitions.h"

#include "scan/Eligibility.h"

#include "annotation/Parser.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/DenseSet.h"

namespace graphgen::scan {
namespace {

bool isDefinedInMainFile(const clang::FunctionDecl& F, const Bodies& Known, const clang::SourceManager& Sources) {
  const clang::FunctionDecl* Definition = Known.definitionOf(F);
  return Definition && Sources.isInMainFile(Sources.getExpansionLoc(Definition->getLocation()));
}

}  // namespace

std::vector<ScannedCallable> scanDefinitions(clang::ASTContext& Context, const MacroTexts& Texts, const Bodies& Known, Reporter& Report) {
  const clang::SourceManager& Sources = Context.getSourceManager();
  llvm::DenseSet<clang::FileID> Headers;
  for (const auto& [Macro, Text] : Texts) {
    if (const clang::SourceLocation Place = Sources.getExpansionLoc(Macro); !Sources.isInMainFile(Place)) {
      Headers.insert(Sources.getFileID(Place));
    }
  }
  const Findings Found =
      findAnnotated(Context, Texts, [&](clang::SourceLocation Place) { return Headers.contains(Sources.getFileID(Place)); });
  std::vector<ScannedCallable> Callables;
  for (const AnnotatedDecl& Annotated : Found.Annotated) {
    for (const clang::FunctionDecl* Each : eligibleFunctions(Annotated, Report)) {
      annotation::ParseResult Parsed = annotation::parse(Annotated.Text->text());
      if (Parsed.Tree && isDefinedInMainFile(*Each, Known, Sources)) {
        annotation::Callable Callable;
        Callable.Spec = std::move(*Parsed.Tree);
        Callables.push_back({Each, Annotated.Text, std::move(Callable)});
      }
    }
  }
  return Callables;
}

}  // namespace graphgen::scan
