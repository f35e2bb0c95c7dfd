// SPDX-License-Identifier: Apache-2.0
//
// By the outermost namespace, and by template arguments.
#include "check/code/Library.h"

#include "scan/Libraries.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isInSystemHeader(const clang::Decl& D) { return D.getASTContext().getSourceManager().isInSystemHeader(D.getLocation()); }

bool mentionsProgram(llvm::ArrayRef<clang::TemplateArgument> Arguments);

bool mentionsProgram(clang::QualType Type) {
  Type = Type.getCanonicalType().getNonReferenceType();
  while (!Type->getPointeeType().isNull()) {
    Type = Type->getPointeeType();
  }
  const clang::TagDecl* Tag = Type->getAsTagDecl();
  if (!Tag) {
    return false;
  }
  const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Tag);
  return !isOfLibrary(*Tag) || (Instance && mentionsProgram(Instance->getTemplateArgs().asArray()));
}

bool mentionsProgram(const clang::TemplateArgument& Argument) {
  switch (Argument.getKind()) {
    case clang::TemplateArgument::Type:
      return mentionsProgram(Argument.getAsType());
    case clang::TemplateArgument::Declaration:
      return !isOfLibrary(*Argument.getAsDecl());
    case clang::TemplateArgument::Pack:
      return mentionsProgram(Argument.getPackAsArray());
    default:
      return false;
  }
}

bool mentionsProgram(llvm::ArrayRef<clang::TemplateArgument> Arguments) {
  return llvm::any_of(Arguments, [](const clang::TemplateArgument& Each) { return mentionsProgram(Each); });
}

/// A program's own headers may be a system's to the compiler, as those of CMake's imported targets are; C's and CUDA's know no tensors.
bool takesTensor(const clang::Decl& D) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(&D);
  return Function && llvm::any_of(Function->parameters(), [](const clang::ParmVarDecl* Each) {
           const clang::RecordDecl* Class = Each->getType().getNonReferenceType()->getAsRecordDecl();
           return Class && Class->getName() == "Tensor" && scan::outermostNamespace(*Class) &&
                  scan::isLibrarys(*scan::outermostNamespace(*Class));
         });
}

}  // namespace

bool isOfLibrary(const clang::Decl& D) {
  const clang::NamespaceDecl* Namespace = scan::outermostNamespace(D);
  return Namespace ? scan::isLibrarys(*Namespace) : isInSystemHeader(D) && !takesTensor(D);
}

bool isMadeForProgram(const clang::FunctionDecl& F) {
  const clang::TemplateArgumentList* Arguments = F.getTemplateSpecializationArgs();
  if (Arguments && mentionsProgram(Arguments->asArray())) {
    return true;
  }
  for (const clang::DeclContext* Each = F.getDeclContext(); Each; Each = Each->getParent()) {
    const auto* Class = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Each);
    if (Class && mentionsProgram(Class->getTemplateArgs().asArray())) {
      return true;
    }
  }
  return false;
}

}  // namespace graphgen::check
