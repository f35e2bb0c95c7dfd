// SPDX-License-Identifier: Apache-2.0
//
// A source that defines what a header annotates has to find the names that the header's own scan finds.
#include "scan/ParameterNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {

std::vector<std::string> parameterNames(const clang::FunctionDecl& Function, clang::SourceLocation Annotation, Reporter& Report) {
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
    const clang::ParmVarDecl* Naming = nullptr;
    for (const clang::FunctionDecl* Each : Others) {
      const clang::ParmVarDecl* Other = Name.empty() && Index < Each->getNumParams() ? Each->getParamDecl(Index) : nullptr;
      if (!Other || !Other->getIdentifier()) {
        continue;
      }
      if (Naming && Naming->getName() != Other->getName()) {
        Report.error(Parameter->getLocation(), "graphed-unnamed-parameter",
                     "parameter " + llvm::Twine(Index + 1) + " has no name here, and two in other declarations, '" + Naming->getName() +
                         "' and '" + Other->getName() + "': give it one here, or the same one there");
        Report.note(Naming->getLocation(), "it is '" + Naming->getName() + "' here");
        Report.note(Other->getLocation(), "and '" + Other->getName() + "' here");
        break;
      }
      Naming = Other;
    }
    Name = Naming ? Naming->getNameAsString() : Name;
    Names.push_back(Name.empty() ? "_" + std::to_string(Index + 1) : Name);
  }
  return Names;
}

}  // namespace graphgen::scan
