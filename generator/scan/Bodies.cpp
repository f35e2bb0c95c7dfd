// SPDX-License-Identifier: Apache-2.0
//
// At the end of a file the compiler instantiates every body that is used; a scan with a precompiled header leaves them, and asks for a few.
#include "scan/Bodies.h"

#include "scan/CompilerErrors.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"

#include "llvm/Support/SaveAndRestore.h"

namespace graphgen::scan {
namespace {

const clang::FunctionDecl* existing(const clang::FunctionDecl& F) {
  const clang::FunctionDecl* Definition = nullptr;
  return F.isDefined(Definition) && Definition->getBody() ? Definition : nullptr;
}

}  // namespace

clang::ASTContext& Bodies::context() const { return Sema.Context; }

const clang::FunctionDecl* Bodies::definitionOf(const clang::FunctionDecl& F) const {
  if (F.hasAttr<clang::CUDAGlobalAttr>()) {
    return nullptr;  // of a kernel, whose body no host runs
  }
  const clang::FunctionDecl* Definition = existing(F);
  if (Definition || !F.isTemplateInstantiation() || F.isDependentContext()) {
    return Definition;
  }
  const clang::SourceLocation Use = F.getPointOfInstantiation();
  // Of a class with an array an assignment calls a builtin function, which the compiler declares in the scope of the file; it has left
  // that.
  clang::Scope File(/*Parent=*/nullptr, clang::Scope::DeclScope, Sema.Diags);
  File.setEntity(Sema.Context.getTranslationUnitDecl());
  const llvm::SaveAndRestore Scope(Sema.TUScope, Sema.TUScope ? Sema.TUScope : &File);
  Sema.InstantiateFunctionDefinition(Use.isValid() ? Use : F.getLocation(), const_cast<clang::FunctionDecl*>(&F));
  return existing(F);
}

std::optional<Bodies::Error> Bodies::firstErrorIn(const clang::FunctionDecl& Definition) const {
  const clang::StoredDiagnostic* First = Compiler.firstIn(Sema.SourceMgr, Definition.getSourceRange());
  return First ? std::optional(Error{First->getLocation(), First->getMessage().str()}) : std::nullopt;
}

void Bodies::define(const clang::CXXRecordDecl& Class) const {
  Sema.isCompleteType(Class.getLocation(), Sema.Context.getCanonicalTagType(&Class));
}

}  // namespace graphgen::scan
