// SPDX-License-Identifier: Apache-2.0
//
// In a scan, GRAPHED is the attribute annotate("graphed", "<text>"): the place of the expansion joins it to its macro's tokens. That place
// is behind those of other macros that it was an argument of.
#include "scan/Finder.h"

#include "scan/NamedFunction.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/DenseSet.h"

namespace graphgen::scan {
namespace {

class Visitor : public clang::DynamicRecursiveASTVisitor {
 public:
  Visitor(const clang::SourceManager& Sources, const MacroTexts& Texts, InFile IsHere, Findings& Found)
      : Sources(Sources), Texts(Texts), IsHere(IsHere), Found(Found) {}

  bool VisitNamedDecl(clang::NamedDecl* D) override {
    if (Seen.insert(D).second) {
      for (const auto* Attribute : D->specific_attrs<clang::AnnotateAttr>()) {
        if (Attribute->getAnnotation() == "graphed" && !Attribute->isInherited()) {
          add(D, Attribute);
        }
      }
    }
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr* E) override { return VisitNamedDecl(E->getCallOperator()); }

  bool isUsed(const MacroText* Text) const { return Used.contains(Text); }

 private:
  void add(clang::NamedDecl* D, const clang::AnnotateAttr* Attribute) {
    const MacroText* Text = textAt(Attribute->getLocation());
    if (Text && IsHere(Sources.getExpansionLoc(Text->location()))) {
      Used.insert(Text);
      const auto* Holder = Text->namesFunction() ? llvm::dyn_cast<clang::VarDecl>(D) : nullptr;
      const clang::NamedDecl* Named = Holder ? namedFunction(*Holder) : nullptr;
      Found.Annotated.push_back(
          {Named ? llvm::cast<clang::NamedDecl>(Named->getCanonicalDecl()) : D, Attribute, Text, D->getDeclContext()});
    }
  }

  const MacroText* textAt(clang::SourceLocation Place) const {
    while (Place.isMacroID()) {
      if (Sources.isMacroArgExpansion(Place)) {
        Place = Sources.getImmediateSpellingLoc(Place);
        continue;
      }
      Place = Sources.getImmediateExpansionRange(Place).getBegin();
      if (const auto Text = Texts.find(Place); Text != Texts.end()) {
        return &Text->second;
      }
    }
    return nullptr;
  }

  const clang::SourceManager& Sources;
  const MacroTexts& Texts;
  InFile IsHere;
  Findings& Found;
  llvm::DenseSet<const clang::NamedDecl*> Seen;
  llvm::DenseSet<const MacroText*> Used;
};

}  // namespace

Findings findAnnotated(clang::ASTContext& Context, const MacroTexts& Texts, InFile IsHere) {
  const clang::SourceManager& Sources = Context.getSourceManager();
  Findings Found;
  Visitor V(Sources, Texts, IsHere, Found);
  // Of a precompiled header nothing is loaded for this.
  for (clang::Decl* D : Context.getTranslationUnitDecl()->noload_decls()) {
    if (IsHere(Sources.getExpansionLoc(D->getBeginLoc())) || IsHere(Sources.getExpansionLoc(D->getEndLoc()))) {
      V.TraverseDecl(D);
    }
  }
  for (const auto& [Location, Text] : Texts) {
    if (IsHere(Sources.getExpansionLoc(Location)) && !V.isUsed(&Text)) {
      Found.Loose.push_back(&Text);
    }
  }
  return Found;
}

Findings findAnnotated(clang::ASTContext& Context, const MacroTexts& Texts) {
  const clang::SourceManager& Sources = Context.getSourceManager();
  return findAnnotated(Context, Texts, [&](clang::SourceLocation Place) { return Sources.isInMainFile(Place); });
}

std::vector<const clang::AnnotateAttr*> earlierAnnotations(const AnnotatedDecl& Annotated) {
  std::vector<const clang::AnnotateAttr*> Found;
  const clang::Decl* D = Annotated.Declaration;
  if (Annotated.Text->namesFunction() && !llvm::isa<clang::FunctionDecl>(D)) {
    return Found;
  }
  for (const clang::Decl* Earlier = Annotated.Text->namesFunction() ? D->getMostRecentDecl() : D->getPreviousDecl(); Earlier;
       Earlier = Earlier->getPreviousDecl()) {
    for (const auto* Attribute : Earlier->specific_attrs<clang::AnnotateAttr>()) {
      if (Attribute->getAnnotation() == "graphed" && !Attribute->isInherited()) {
        Found.push_back(Attribute);
      }
    }
  }
  return Found;
}

std::string attributeText(const clang::AnnotateAttr& Attribute) {
  if (Attribute.args_size() == 0) {
    return {};
  }
  const auto* Literal = llvm::dyn_cast<clang::StringLiteral>((*Attribute.args_begin())->IgnoreParenImpCasts());
  return Literal ? Literal->getString().str() : std::string();
}

}  // namespace graphgen::scan
