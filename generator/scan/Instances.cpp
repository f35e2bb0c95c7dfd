// SPDX-License-Identifier: Apache-2.0
//
// `template T f<float>(T);`, `extern template struct Net<3>;` and their like; `&f<float>` and `f<float>(x)`.
#include "scan/Instances.h"

#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {
namespace {

bool isExplicit(clang::TemplateSpecializationKind Kind) {
  return Kind == clang::TSK_ExplicitInstantiationDeclaration || Kind == clang::TSK_ExplicitInstantiationDefinition;
}

bool areSpellable(const clang::TemplateArgumentList* Arguments) { return !Arguments || llvm::all_of(Arguments->asArray(), isSpellable); }

bool isUsed(const clang::FunctionDecl& F) { return F.isReferenced() && areSpellable(F.getTemplateSpecializationArgs()); }

/// The method that `Class`, or a class nested in it, has in the place of the pattern `F`. An instantiation that was declared before is
/// declared again, without methods.
const clang::FunctionDecl* instantiated(const clang::CXXRecordDecl& Class, const clang::FunctionDecl& F) {
  const clang::CXXRecordDecl* Definition = Class.getDefinition();
  if (!Definition) {
    return nullptr;
  }
  for (const clang::Decl* Each : Definition->decls()) {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Each);
    const clang::FunctionDecl* Pattern = Method ? Method->getInstantiatedFromMemberFunction() : nullptr;
    if (Pattern && Pattern->getCanonicalDecl() == F.getCanonicalDecl()) {
      return Method;
    }
    const auto* Nested = llvm::dyn_cast<clang::CXXRecordDecl>(Each);
    if (const clang::FunctionDecl* Found = Nested && Nested->getInstantiatedFromMemberClass() ? instantiated(*Nested, F) : nullptr) {
      return Found;
    }
  }
  return nullptr;
}

/// The template of the class that `F` is a method of, or of a class around that.
const clang::ClassTemplateDecl* classTemplate(const clang::FunctionDecl& F) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(F.getDeclContext());
  while (Class && !Class->getDescribedClassTemplate()) {
    Class = llvm::dyn_cast<clang::CXXRecordDecl>(Class->getDeclContext());
  }
  return Class ? Class->getDescribedClassTemplate() : nullptr;
}

/// Explicit ones, or the used ones.
std::vector<const clang::FunctionDecl*> instances(const clang::FunctionTemplateDecl& Template, bool Explicit) {
  std::vector<const clang::FunctionDecl*> Found;
  for (const clang::FunctionDecl* Each : Template.specializations()) {
    const clang::TemplateSpecializationKind Kind = Each->getTemplateSpecializationKind();
    if (Explicit ? isExplicit(Kind) : Kind == clang::TSK_ImplicitInstantiation && isUsed(*Each)) {
      Found.push_back(Each);
    }
  }
  return Found;
}

/// Explicit ones: of a class explicitly instantiated, or one whose method is.
std::vector<const clang::FunctionDecl*> instances(const clang::ClassTemplateDecl& Template, const clang::FunctionDecl& F, bool Explicit) {
  std::vector<const clang::FunctionDecl*> Found;
  for (const clang::ClassTemplateSpecializationDecl* Class : Template.specializations()) {
    const clang::FunctionDecl* Method = instantiated(*Class, F);
    if (!Method) {
      continue;
    }
    const bool IsExplicit = isExplicit(Class->getSpecializationKind()) || isExplicit(Method->getTemplateSpecializationKind());
    if (Explicit ? IsExplicit : isUsed(*Method) && areSpellable(&Class->getTemplateArgs())) {
      Found.push_back(Method);
    }
  }
  return Found;
}

std::optional<int64_t> find(llvm::StringRef Name, const clang::TemplateParameterList& Parameters,
                            const clang::TemplateArgumentList& Arguments) {
  for (unsigned Index = 0; Index < Parameters.size() && Index < Arguments.size(); ++Index) {
    if (Parameters.getParam(Index)->getName() == Name && Arguments[Index].getKind() == clang::TemplateArgument::Integral) {
      return Arguments[Index].getAsIntegral().tryExtValue();
    }
  }
  return std::nullopt;
}

std::optional<int64_t> find(llvm::StringRef Name, const clang::ClassTemplateSpecializationDecl& Class) {
  const auto Origin = Class.getInstantiatedFrom();
  if (const auto* Partial = llvm::dyn_cast_if_present<clang::ClassTemplatePartialSpecializationDecl*>(Origin)) {
    return find(Name, *Partial->getTemplateParameters(), Class.getTemplateInstantiationArgs());
  }
  return Origin.isNull() ? std::nullopt : find(Name, *Class.getSpecializedTemplate()->getTemplateParameters(), Class.getTemplateArgs());
}

}  // namespace

std::vector<const clang::FunctionDecl*> chosenInstances(const clang::FunctionDecl& F) {
  const clang::FunctionTemplateDecl* Template = F.getDescribedFunctionTemplate();
  const clang::ClassTemplateDecl* ClassTemplate = classTemplate(F);
  const auto Find = [&](bool Explicit) -> std::vector<const clang::FunctionDecl*> {
    if (Template) {
      return instances(*Template, Explicit);
    }
    return ClassTemplate ? instances(*ClassTemplate, F, Explicit) : std::vector<const clang::FunctionDecl*>();
  };
  std::vector<const clang::FunctionDecl*> Found = Find(/*Explicit=*/true);
  return Found.empty() ? Find(/*Explicit=*/false) : Found;
}

std::optional<int64_t> templateArgument(const clang::FunctionDecl& F, llvm::StringRef Name) {
  std::optional<int64_t> Value;
  for (const clang::DeclContext* Each = F.getDeclContext(); Each->isRecord() && !Value; Each = Each->getParent()) {
    const auto* Class = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Each);
    Value = Class ? find(Name, *Class) : std::nullopt;
  }
  if (!Value && clang::isTemplateInstantiation(F.getTemplateSpecializationKind()) && F.getPrimaryTemplate()) {
    Value = find(Name, *F.getPrimaryTemplate()->getTemplateParameters(), *F.getTemplateSpecializationArgs());
  }
  return Value;
}

}  // namespace graphgen::scan
