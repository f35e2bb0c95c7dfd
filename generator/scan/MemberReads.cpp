// SPDX-License-Identifier: Apache-2.0
//
// Follows every function that a body names: a call, a construction, or an address.
#include "scan/MemberReads.h"

#include "scan/BodyVisitor.h"
#include "scan/Libraries.h"
#include "scan/MemberTypes.h"
#include "scan/ObjectTypes.h"
#include "scan/ReadsBehind.h"
#include "scan/StoredLambdas.h"
#include "scan/Types.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

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

using Classes = llvm::SmallPtrSet<const clang::CXXRecordDecl*, 4>;

void addOwnClasses(llvm::ArrayRef<clang::TemplateArgument> Arguments, Classes& Own);

/// The class if it is of the program, or those that a library's template is an instance over.
void addOwnClasses(const clang::CXXRecordDecl& Class, Classes& Own) {
  if (!isOfLibraryOrSystem(Class)) {
    Own.insert(&Class);
  } else if (const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&Class)) {
    addOwnClasses(Instance->getTemplateArgs().asArray(), Own);
  }
}

void addOwnClasses(llvm::ArrayRef<clang::TemplateArgument> Arguments, Classes& Own) {
  for (const clang::TemplateArgument& Each : Arguments) {
    if (Each.getKind() == clang::TemplateArgument::Pack) {
      addOwnClasses(Each.getPackAsArray(), Own);
    } else if (Each.getKind() == clang::TemplateArgument::Type) {
      clang::QualType Type = Each.getAsType().getNonReferenceType();
      while (Type->isAnyPointerType()) {
        Type = Type->getPointeeType();
      }
      if (const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl()) {
        addOwnClasses(*Class, Own);
      }
    }
  }
}

/// The classes of the program that a library's function is an instance over, whose members it may call.
Classes ownClassesOf(const clang::FunctionDecl& OfLibrary) {
  Classes Own;
  if (const clang::TemplateArgumentList* Arguments = OfLibrary.getTemplateSpecializationArgs()) {
    addOwnClasses(Arguments->asArray(), Own);
  }
  if (const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(OfLibrary.getDeclContext())) {
    addOwnClasses(*Class, Own);
  }
  return Own;
}

class NameCollector : public BodyVisitor {
 public:
  NameCollector(const clang::FunctionDecl& Callable, const Bodies& Bodies) : Callable(Callable), Bodies(Bodies) {}

  MemberReads read(llvm::ArrayRef<const clang::CXXRecordDecl*> Classes) {
    for (const clang::CXXRecordDecl* Each : Classes) {
      addClasses(*Each, Watched);
    }
    follow(Callable);
    while (!Open.empty()) {
      const clang::FunctionDecl* Body = Open.back();
      Open.pop_back();
      IsInLibrary = isOfLibraryOrSystem(*Body);
      TraverseDecl(const_cast<clang::FunctionDecl*>(Body));
      if (!IsInLibrary) {
        Behind.look(*Body);
      }
    }
    Result.Beyond = Behind.take();
    return std::move(Result);
  }

  bool VisitMemberExpr(clang::MemberExpr* Member) override {
    name(*Member->getMemberDecl());
    if (const auto* Field = llvm::dyn_cast<clang::FieldDecl>(Member->getMemberDecl()); Field && !WrittenBehind.contains(Member)) {
      Result.Followed.insert(Field->getCanonicalDecl());
    }
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
  bool VisitBinaryOperator(clang::BinaryOperator* S) override {
    const auto* Target = S->getOpcode() == clang::BO_Assign ? llvm::dyn_cast<clang::MemberExpr>(S->getLHS()) : nullptr;
    if (Target) {
      WrittenBehind.insert(Target->getBase()->IgnoreParenImpCasts());
    }
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
    if (IsInLibrary && !llvm::isa<clang::FunctionDecl>(D)) {
      return;
    }
    if (const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&D)) {
      Result.Named.insert(Field->getCanonicalDecl());
      followStored(*Field);
    } else if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&D)) {
      if (Variable->hasGlobalStorage() && !Variable->isStaticLocal() && !isConstant(*Variable) && !isOfLibraryOrSystem(*Variable)) {
        Result.Variables.insert(Variable->getCanonicalDecl());
        followStored(*Variable);
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

  /// Functors are called through tables and by functions that are not here.
  void followCallOperators(const clang::CXXRecordDecl& Class) {
    llvm::for_each(callOperatorsOf(Class), [this](const clang::FunctionDecl* Each) { follow(*Each); });
  }

  /// To the lambdas in a std::function, or in a list of such.
  void followStored(const clang::ValueDecl& D) {
    if (IsOnHost || !holdsFunction(D.getType())) {
      return;
    }
    if (!Lambdas) {
      Lambdas.emplace(D.getASTContext());
    }
    llvm::for_each(Lambdas->in(D), [this](const clang::CXXRecordDecl* Each) { followCallOperators(*Each); });
    llvm::for_each(Lambdas->functionsIn(D), [this](const clang::FunctionDecl* Each) { follow(*Each); });
  }

  /// To the functions of the program that it calls: std::make_unique a constructor, std::visit a functor, std::max a comparison.
  void followLibrary(const clang::FunctionDecl& F) {
    const Classes Own = IsOnHost ? Classes() : ownClassesOf(F);
    const clang::FunctionDecl* Definition = Own.empty() ? nullptr : Bodies.definitionOf(F);
    for (const clang::CXXRecordDecl* Each : Own) {
      followCallOperators(*Each);
    }
    if (Definition) {
      Open.push_back(Definition);
    }
  }

  void follow(const clang::FunctionDecl& F) {
    if (!Seen.insert(F.getCanonicalDecl()).second) {
      return;
    }
    if (isOfLibraryOrSystem(F)) {
      followForward(F);
      return followLibrary(F);
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
  std::optional<StoredLambdas> Lambdas;                    // made when first asked for
  llvm::SmallPtrSet<const clang::Expr*, 8> WrittenBehind;  // `peer` of `peer->gain = 1`
  ReadsBehind Behind;
  bool IsInLibrary = false;
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
