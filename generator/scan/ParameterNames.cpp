// SPDX-License-Identifier: Apache-2.0
//
// A source that defines what a header annotates has to find the names that the header's own scan finds.
#include "scan/ParameterNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {

std::vector<std::string> parameterNames(const clang::FunctionDecl& Function, clang::SourceLocation Annotation) {
  const clang::SourceManager& Sources = Function.getASTContext().getSourceManager();
  const clang::SourceLocation Place = Sources.getExpansionLoc(Annotation);
  const auto Counts = [&](const clang::FunctionDecl* D) {
    const clang::SourceLocation Where = Sources.getExpansionLoc(D->getLocation());
    return Sources.getFileID(Where) == Sources.getFileID(Place) || Sources.isBeforeInTranslationUnit(Where, Place);
  };
  const clang::FunctionDecl* Pattern = Function.getTemplateInstantiationPattern();
  const auto Others = llvm::make_filter_range((Pattern ? Pattern : &Function)->redecls(), Counts);
  std::vector<std::string> Names;
  for (const clang::ParmVarDecl* Parameter : Function.parameters()) {
    const unsigned Index = Parameter->getFunctionScopeIndex();
    std::string Name = Parameter->getNameAsString();
    for (const clang::FunctionDecl* Each : Others) {
      Name = Name.empty() && Index < Each->getNumParams() ? Each->getParamDecl(Index)->getNameAsString() : Name;
    }
    Names.push_back(Name.empty() ? "_" + std::to_string(Index + 1) : Name);
  }
  return Names;
}

}  // namespace graphgen::scan
