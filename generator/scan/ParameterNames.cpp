// SPDX-License-Identifier: Apache-2.0
//
// A source that defines what a header annotates has to find the names that the header's own scan finds.
#include "scan/ParameterNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {
namespace {

/// The name of `Parameter` in its own declaration, else in `Others`; empty where none has one. Complains where they give it several.
std::string givenName(const clang::ParmVarDecl& Parameter, llvm::ArrayRef<const clang::FunctionDecl*> Others, Reporter& Report) {
  if (Parameter.getIdentifier()) {
    return Parameter.getNameAsString();
  }
  const unsigned Index = Parameter.getFunctionScopeIndex();
  const clang::ParmVarDecl* Naming = nullptr;
  for (const clang::FunctionDecl* Each : Others) {
    const clang::ParmVarDecl* Other = Index < Each->getNumParams() ? Each->getParamDecl(Index) : nullptr;
    if (!Other || !Other->getIdentifier()) {
      continue;
    }
    if (Naming && Naming->getName() != Other->getName()) {
      Report.error(Parameter.getLocation(), "graphed-unnamed-parameter",
                   "parameter " + llvm::Twine(Index + 1) + " has no name here, and two in other declarations, '" + Naming->getName() +
                       "' and '" + Other->getName() + "': give it one here, or the same one there");
      Report.note(Naming->getLocation(), "it is '" + Naming->getName() + "' here");
      Report.note(Other->getLocation(), "and '" + Other->getName() + "' here");
      break;
    }
    Naming = Other;
  }
  return Naming ? Naming->getNameAsString() : "";
}

/// Gives parameters without a name their position as one. Complains where another parameter is called so.
void nameByPosition(const clang::FunctionDecl& Function, Reporter& Report, std::vector<std::string>& Names) {
  for (const clang::ParmVarDecl* Parameter : Function.parameters()) {
    const unsigned Index = Parameter->getFunctionScopeIndex();
    if (!Names[Index].empty()) {
      continue;
    }
    std::string Position = "_" + std::to_string(Index + 1);
    if (const auto Same = llvm::find(Names, Position); Same != Names.end()) {
      const auto Other = static_cast<unsigned>(Same - Names.begin());
      Report.error(Parameter->getLocation(), "graphed-unnamed-parameter",
                   "parameter " + llvm::Twine(Index + 1) + " has no name, and parameter " + llvm::Twine(Other + 1) + " is called '" +
                       Position + "', as its position is: give it a name");
      Report.note(Function.getParamDecl(Other)->getLocation(), "'" + Position + "' is declared here");
    }
    Names[Index] = std::move(Position);
  }
}

}  // namespace

std::vector<std::string> parameterNames(const clang::FunctionDecl& Function, clang::SourceLocation Annotation, Reporter& Report) {
  const clang::SourceManager& Sources = Function.getASTContext().getSourceManager();
  const clang::SourceLocation Place = Sources.getExpansionLoc(Annotation);
  const auto Counts = [&](const clang::FunctionDecl* D) {
    const clang::SourceLocation Where = Sources.getExpansionLoc(D->getLocation());
    return Sources.getFileID(Where) == Sources.getFileID(Place) || Sources.isBeforeInTranslationUnit(Where, Place);
  };
  const clang::FunctionDecl* Pattern = Function.getTemplateInstantiationPattern();
  const auto Counted = llvm::make_filter_range((Pattern ? Pattern : &Function)->redecls(), Counts);
  const std::vector<const clang::FunctionDecl*> Others(Counted.begin(), Counted.end());
  std::vector<std::string> Names;
  for (const clang::ParmVarDecl* Parameter : Function.parameters()) {
    Names.push_back(givenName(*Parameter, Others, Report));
  }
  nameByPosition(Function, Report, Names);
  return Names;
}

}  // namespace graphgen::scan
