// SPDX-License-Identifier: Apache-2.0
//
// `template T f<float>(T);`, `extern template struct Net<3>;` and their like.
#include "scan/Instances.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

namespace graphgen::scan {
namespace {

bool isExplicit(clang::TemplateSpecializationKind Kind) {
  return Kind == clang::TSK_ExplicitInstantiationDeclaration || Kind == clang::TSK_ExplicitInstantiationDefinition;
}

void addInstances(const clang::FunctionTemplateDecl& Template, std::vector<const clang::FunctionDecl*>& Found) {
  for (const clang::FunctionDecl* Each : Template.specializations()) {
    if (isExplicit(Each->getTemplateSpecializationKind())) {
      Found.push_back(Each);
    }
  }
}

/// The method that `Class` has in the place of the pattern `F`. An instantiation that was declared before is declared again, without
/// methods.
const clang::FunctionDecl* instantiated(const clang::ClassTemplateSpecializationDecl& Class, const clang::FunctionDecl& F) {
  const clang::CXXRecordDecl* Definition = Class.getDefinition();
  if (!Definition) {
    return nullptr;
  }
  for (const clang::CXXMethodDecl* Each : Definition->methods()) {
    const clang::FunctionDecl* Pattern = Each->getInstantiatedFromMemberFunction();
    if (Pattern && Pattern->getCanonicalDecl() == F.getCanonicalDecl()) {
      return Each;
    }
  }
  return nullptr;
}

/// A class explicitly instantiated, or one whose method is.
void addInstances(const clang::ClassTemplateDecl& Template, const clang::FunctionDecl& F, std::vector<const clang::FunctionDecl*>& Found) {
  for (const clang::ClassTemplateSpecializationDecl* Class : Template.specializations()) {
    const clang::FunctionDecl* Method = instantiated(*Class, F);
    if (Method && (isExplicit(Class->getSpecializationKind()) || isExplicit(Method->getTemplateSpecializationKind()))) {
      Found.push_back(Method);
    }
  }
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

std::vector<const clang::FunctionDecl*> explicitInstances(const clang::FunctionDecl& F) {
  std::vector<const clang::FunctionDecl*> Found;
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(F.getDeclContext());
  if (const clang::FunctionTemplateDecl* Template = F.getDescribedFunctionTemplate()) {
    addInstances(*Template, Found);
  } else if (Class && Class->getDescribedClassTemplate()) {
    addInstances(*Class->getDescribedClassTemplate(), F, Found);
  }
  return Found;
}

std::optional<int64_t> templateArgument(const clang::FunctionDecl& F, llvm::StringRef Name) {
  const auto* Class = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(F.getDeclContext());
  std::optional<int64_t> Value = Class ? find(Name, *Class) : std::nullopt;
  if (!Value && clang::isTemplateInstantiation(F.getTemplateSpecializationKind()) && F.getPrimaryTemplate()) {
    Value = find(Name, *F.getPrimaryTemplate()->getTemplateParameters(), *F.getTemplateSpecializationArgs());
  }
  return Value;
}

}  // namespace graphgen::scan
