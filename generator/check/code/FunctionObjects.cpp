// SPDX-License-Identifier: Apache-2.0
#include "check/code/FunctionObjects.h"

#include "check/code/Library.h"
#include "check/code/Stores.h"
#include "scan/Libraries.h"
#include "scan/MemberTypes.h"
#include "scan/StoredLambdas.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

namespace graphgen::check {
namespace {

using All = llvm::MapVector<const clang::FunctionDecl*, FunctionObject>;

/// A member, or a variable that outlives its function.
bool isStore(const clang::ValueDecl& D) {
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&D);
  return (llvm::isa<clang::FieldDecl>(D) || (Variable && Variable->hasGlobalStorage())) && scan::holdsFunction(D.getType());
}

std::string bareName(clang::QualType Type, const clang::ASTContext& Context) {
  Type = Type.getCanonicalType().getNonReferenceType();
  while (Type->isPointerType()) {
    Type = Type->getPointeeType();
  }
  return scan::writtenName(Context, Type.getCanonicalType().getUnqualifiedType());
}

/// A lambda, or an object of a class of the program's that has an `operator()`.
const clang::CXXRecordDecl* functorClass(const clang::Expr& E) {
  const clang::CXXRecordDecl* Class = E.getType()->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && !isOfLibrary(*Class) ? Class->getDefinition() : nullptr;
}

class Collector : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit Collector(const clang::ASTContext& Context) : Context(Context) { ShouldVisitTemplateInstantiations = true; }

  All take() {
    for (const auto& [Variable, Lambda] : Local) {
      if (HandedOn.contains(Variable)) {
        addFunctor(*Lambda->getLambdaClass(), nullptr);
      }
    }
    for (auto& Each : Found) {
      Each.second.Store = Copied.contains(Each.second.Store) ? nullptr : Each.second.Store;
    }
    return std::move(Found);
  }

  bool TraverseDecl(clang::Decl* D) override {
    const auto* Value = llvm::dyn_cast_if_present<clang::ValueDecl>(D);
    const llvm::SaveAndRestore Given(Store, Value && isStore(*Value) ? Value : nullptr);
    return !D || scan::isForeign(*D) || clang::DynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  bool TraverseConstructorInitializer(clang::CXXCtorInitializer* Init) override {
    const clang::ValueDecl* Member = Init->getAnyMember();
    const llvm::SaveAndRestore Given(Store, Member && isStore(*Member) ? Member : nullptr);
    return clang::DynamicRecursiveASTVisitor::TraverseConstructorInitializer(Init);
  }
  bool TraverseCXXOperatorCallExpr(clang::CXXOperatorCallExpr* Call) override {
    if (Call->getOperator() == clang::OO_Call) {
      Called.insert(Call->getArg(0)->IgnoreImplicit());
    }
    return within(Call->getOperator() == clang::OO_Equal ? storeOf(*Call->getArg(0)) : Store,
                  [&] { return clang::DynamicRecursiveASTVisitor::TraverseCXXOperatorCallExpr(Call); });
  }
  bool TraverseBinaryOperator(clang::BinaryOperator* S) override {
    return within(S->isAssignmentOp() ? storeOf(*S->getLHS()) : Store,
                  [&] { return clang::DynamicRecursiveASTVisitor::TraverseBinaryOperator(S); });
  }
  bool TraverseCXXMemberCallExpr(clang::CXXMemberCallExpr* Call) override {
    const clang::Expr* Target = storeGivenTo(*Call);
    return within(Target ? storeOf(*Target) : Store, [&] { return clang::DynamicRecursiveASTVisitor::TraverseCXXMemberCallExpr(Call); });
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* Lambda) override {
    if (!Called.contains(Lambda)) {
      addFunctor(*Lambda->getLambdaClass(), Store);
    }
    return within(nullptr, [&] { return clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda); });
  }

  /// `graphed::callable<&Net::run>`
  bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc& /*Argument*/) override { return true; }

  bool VisitVarDecl(clang::VarDecl* Variable) override {
    const auto* Init = Variable->hasLocalStorage() && Variable->getInit() && !llvm::isa<clang::ParmVarDecl>(Variable)
                           ? llvm::dyn_cast<clang::LambdaExpr>(Variable->getInit()->IgnoreImplicit())
                           : nullptr;
    if (Init) {
      Local.insert({Variable, Init});
      Called.insert(Init);
    }
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* Name) override {
    if (Called.contains(Name)) {
      return true;
    }
    if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Name->getDecl())) {
      addFunction(*Function, Store);
    } else if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl())) {
      HandedOn.insert(Variable);
    }
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* Call) override {
    Called.insert(Call->getCallee()->IgnoreParenImpCasts());
    const clang::FunctionDecl* Callee = Call->getDirectCallee();
    const clang::Expr* Object = llvm::isa<clang::CXXOperatorCallExpr>(Call) ? Call->getArg(0) : nullptr;
    if (Callee && (isOfLibrary(*Callee) || Callee->isTemplateInstantiation())) {
      for (const clang::Expr* Each : Call->arguments()) {
        if (Each != Object) {
          addGiven(*Each);
        }
      }
    }
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* E) override {
    if (isOfLibrary(*E->getConstructor())) {
      llvm::for_each(E->arguments(), [&](const clang::Expr* Each) { addGiven(*Each); });
    }
    return true;
  }

 private:
  template <class Traverse>
  bool within(const clang::ValueDecl* To, const Traverse& Go) {
    const llvm::SaveAndRestore Given(Store, To && isStore(*To) ? To : nullptr);
    return Go();
  }

  /// A module of the program's, a pointer to one, or its holder.
  void addModule(const clang::Expr& Given) {
    const clang::QualType Type = Given.IgnoreImplicit()->getType().getNonReferenceType();
    const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
    if (Class && Class->hasDefinition() && scan::isModuleHolder(*Class)) {
      Class = scan::moduleHeldBy(*Class);
    } else if (const auto Arguments =
                   Class && isOfLibrary(*Class) ? scan::templateArguments(Class) : std::vector<clang::TemplateArgument>();
               !Arguments.empty() && Arguments[0].getKind() == clang::TemplateArgument::Type) {
      Class = Arguments[0].getAsType()->getAsCXXRecordDecl();
    }
    if (!Class || !Class->hasDefinition() || isOfLibrary(*Class) || !scan::isModule(*Class)) {
      return;
    }
    for (const clang::CXXMethodDecl* Each : Class->getDefinition()->methods()) {
      if (Each->getIdentifier() && Each->getName() == "forward") {
        Found[Each].Signatures.insert(ModuleInContainer.str());
      }
    }
  }

  /// To a function of a library, or to an instance of a template, which may keep it.
  void addGiven(const clang::Expr& Given) {
    addModule(Given);
    const clang::Expr* E = Given.IgnoreImplicit();
    const clang::CXXRecordDecl* Class = functorClass(*E);
    if (Class && !Class->isLambda()) {
      addFunctor(*Class, Store);
    } else if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(E)) {
      Copied.insert(Member->getMemberDecl());
    }
  }

  void addFunctor(const clang::CXXRecordDecl& Class, const clang::ValueDecl* To) {
    llvm::for_each(scan::callOperatorsOf(Class), [&](const clang::FunctionDecl* Each) { add(*Each, To); });
  }

  void addFunction(const clang::FunctionDecl& Function, const clang::ValueDecl* To) {
    if (!isOfLibrary(Function) && !Function.isOverloadedOperator()) {
      add(Function, To);
    }
  }

  void add(const clang::FunctionDecl& Run, const clang::ValueDecl* To) {
    const auto* Type = Run.isDependentContext() ? nullptr : Run.getType()->getAs<clang::FunctionProtoType>();
    if (!Type) {
      return;
    }
    FunctionObject& Its = Found[&Run];
    Its.Store = Its.Signatures.empty() || Its.Store == To ? To : nullptr;
    Its.Signatures.insert(signatureOf(*Type, Context));
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Run);
    if (Method && Method->isInstance() && !Method->isOverloadedOperator()) {
      const clang::QualType Object = Context.getCanonicalTagType(Method->getParent());
      Its.Signatures.insert(bareName(Object, Context) + ", " + signatureOf(*Type, Context));
    }
  }

  const clang::ASTContext& Context;
  All Found;
  const clang::ValueDecl* Store = nullptr;  // what gets the value of what is traversed
  llvm::MapVector<const clang::VarDecl*, const clang::LambdaExpr*> Local;
  llvm::SmallPtrSet<const clang::Expr*, 32> Called;  // there, and not handed on by this expression
  llvm::SmallPtrSet<const clang::VarDecl*, 16> HandedOn;
  llvm::SmallPtrSet<const clang::ValueDecl*, 16> Copied;  // to where nobody looks
};

}  // namespace

std::string signatureOf(const clang::FunctionProtoType& Type, const clang::ASTContext& Context) {
  std::string Text;
  for (const clang::QualType Each : Type.param_types()) {
    Text += bareName(Each, Context) + ", ";
  }
  return Text + "-> " + bareName(Type.getReturnType(), Context);
}

All functionObjectsIn(const clang::ASTContext& Context) {
  Collector Collect(Context);
  for (clang::Decl* Each : Context.getTranslationUnitDecl()->noload_decls()) {
    Collect.TraverseDecl(Each);
  }
  return Collect.take();
}

}  // namespace graphgen::check
