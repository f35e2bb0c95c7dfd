// SPDX-License-Identifier: Apache-2.0
//
// A header is known by its file, whatever path it was included by.
#include "scan/Definitions.h"

#include "scan/Eligibility.h"

#include "annotation/Parser.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"

namespace graphgen::scan {
namespace {

bool isDefinedInMainFile(const clang::FunctionDecl& F, const clang::SourceManager& Sources) {
  const clang::FunctionDecl* Definition = nullptr;
  return F.isDefined(Definition) && Sources.isInMainFile(Sources.getExpansionLoc(Definition->getLocation()));
}

}  // namespace

std::vector<ScannedCallable> scanDefinitions(clang::ASTContext& Context, const MacroTexts& Texts, llvm::StringRef Header,
                                             Reporter& Report) {
  const clang::SourceManager& Sources = Context.getSourceManager();
  const clang::OptionalFileEntryRef File = Sources.getFileManager().getOptionalFileRef(Header);
  const Findings Found = findAnnotated(Context, Texts, [&](clang::SourceLocation Place) {
    const clang::OptionalFileEntryRef Other = Sources.getFileEntryRefForID(Sources.getFileID(Place));
    return File && Other && *File == *Other;
  });
  std::vector<ScannedCallable> Callables;
  for (const AnnotatedDecl& Annotated : Found.Annotated) {
    for (const clang::FunctionDecl* Each : eligibleFunctions(Annotated, Report)) {
      annotation::ParseResult Parsed = annotation::parse(Annotated.Text->text());
      if (Parsed.Tree && isDefinedInMainFile(*Each, Sources)) {
        annotation::Callable Callable;
        Callable.Spec = std::move(*Parsed.Tree);
        Callables.push_back({Each, Annotated.Text, std::move(Callable)});
      }
    }
  }
  return Callables;
}

}  // namespace graphgen::scan
