// SPDX-License-Identifier: Apache-2.0
//
// Follows every function that a body names: a call, a construction, or an address.
#include "scan/MemberReads.h"

#include "scan/Libraries.h"
#include "scan/MemberTypes.h"
#include "scan/ObjectTypes.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <vector>

namespace graphgen::scan {
namespace {

/// The object that a const or constexpr pointer or reference leads to is none, nor the module in a const holder.
bool isConstant(const clang::VarDecl& Variable) {
  using Kind = annotation::WatchedMember::Kind;
  const HeldType Held = heldType(Variable.getType());
  const bool IsValue = Held.What == HeldType::Form::Leaf && (Held.Kind == Kind::Number || Held.Kind == Kind::Tensor) && !Held.IsReferred;
  const bool IsOther = Variable.getType()->isReferenceType() || Variable.getType()->isAnyPointerType();
  return (Variable.isConstexpr() && !IsOther) || (Variable.getType().isConstQualified() && IsValue);
}

class NameCollector : public clang::DynamicRecursiveASTVisitor {
 public:
  NameCollector(const clang::FunctionDecl& Callable, const Bodies& Bodies) : Callable(Callable), Bodies(Bodies) {
    ShouldVisitImplicitCode = true;
    ShouldVisitTemplateInstantiations = true;
  }

  MemberReads read(llvm::ArrayRef<const clang::CXXRecordDecl*> Classes) {
    for (const clang::CXXRecordDecl* Each : Classes) {
      addClasses(*Each, Watched);
    }
    follow(Callable);
    while (!Open.empty()) {
      const clang::FunctionDecl* Body = Open.back();
      Open.pop_back();
      TraverseDecl(const_cast<clang::FunctionDecl*>(Body));
    }
    return std::move(Result);
  }

  /// A capture does not run what graphed::host is given. It depends only on what the lambda is made of.
  bool TraverseCallExpr(clang::CallExpr* Call) override {
    const clang::FunctionDecl* Called = Call->getDirectCallee();
    const bool IsHostPart =
        Called && Called->getIdentifier() && Called->getName() == "host" && Called->getQualifiedNameAsString() == "graphed::host";
    const llvm::SaveAndRestore<bool> Within(IsOnHost, IsOnHost || IsHostPart);
    return clang::DynamicRecursiveASTVisitor::TraverseCallExpr(Call);
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* Lambda) override {
    if (!IsOnHost) {
      return clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
    }
    for (clang::Expr* Each : Lambda->capture_inits()) {
      if (Each) {
        TraverseStmt(Each);
      }
    }
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* Member) override {
    name(*Member->getMemberDecl());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* Name) override {
    name(*Name->getDecl());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* Construction) override {
    follow(*Construction->getConstructor());
    return true;
  }
  bool VisitBindingDecl(clang::BindingDecl* Binding) override {
    if (Binding->getBinding()) {
      TraverseStmt(Binding->getBinding());
    }
    return true;
  }

 private:
  void name(const clang::ValueDecl& D) {
    if (const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&D)) {
      Result.Named.insert(Field->getCanonicalDecl());
    } else if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&D)) {
      if (Variable->hasGlobalStorage() && !Variable->isStaticLocal() && !isConstant(*Variable) && !isOfLibraryOrSystem(*Variable)) {
        Result.Variables.insert(Variable->getCanonicalDecl());
      }
    } else if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(&D)) {
      follow(*Function);
    }
  }

  void leave(const clang::CXXRecordDecl* Class) {
    if (Class != nullptr && Class->hasDefinition() && Watched.contains(Class->getDefinition())) {
      addClasses(*Class, Result.Unknown);
    }
  }

  /// What a body names that is not here, or another one in its place.
  void leave(const clang::FunctionDecl& F) {
    if (const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F)) {
      leave(Method->getParent());
    }
    for (const clang::ParmVarDecl* Each : F.parameters()) {
      const std::optional<ReferredObject> Referred = referredObject(Each->getType());
      leave(Referred ? Referred->Class : Each->getType().getNonReferenceType()->getAsCXXRecordDecl());
    }
  }

  /// A holder's `operator()` runs that of its module.
  void followForward(const clang::FunctionDecl& Called) {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Called);
    const bool IsCall = Method && Method->getOverloadedOperator() == clang::OO_Call && isModuleHolder(*Method->getParent());
    const clang::CXXRecordDecl* Module = IsCall ? moduleHeldBy(*Method->getParent()) : nullptr;
    for (const clang::CXXMethodDecl* Each : Module ? Module->methods() : clang::CXXRecordDecl::method_range({}, {})) {
      if (Each->getIdentifier() && Each->getName() == "forward") {
        follow(*Each);
      }
    }
  }

  void follow(const clang::FunctionDecl& F) {
    if (!Seen.insert(F.getCanonicalDecl()).second) {
      return;
    }
    if (isOfLibraryOrSystem(F)) {
      return followForward(F);
    }
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
    if (Method && Method->isVirtual() && !Method->getParent()->isEffectivelyFinal()) {
      leave(F);
    }
    const clang::FunctionDecl* Definition = Bodies.definitionOf(F);
    if (Definition && isSeenWithAnnotation(Callable, *Definition)) {
      Open.push_back(Definition);
    } else if (!F.isImplicit() && !F.isDefaulted()) {
      leave(F);
    }
  }

  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 8> Watched;
  const clang::FunctionDecl& Callable;
  const scan::Bodies& Bodies;
  llvm::SmallPtrSet<const clang::FunctionDecl*, 32> Seen;
  std::vector<const clang::FunctionDecl*> Open;
  bool IsOnHost = false;
  MemberReads Result;
};

}  // namespace

bool MemberReads::isUnknown(const clang::FieldDecl& Field) const {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Field.getParent());
  return Class && Unknown.contains(Class->getDefinition());
}

bool isSeenWithAnnotation(const clang::FunctionDecl& Callable, const clang::FunctionDecl& Body) {
  return isInMainFile(Callable) || !isInMainFile(Body);
}

MemberReads readsOf(const clang::FunctionDecl& Callable, llvm::ArrayRef<const clang::CXXRecordDecl*> Classes, const Bodies& Bodies) {
  return NameCollector(Callable, Bodies).read(Classes);
}

}  // namespace graphgen::scan
