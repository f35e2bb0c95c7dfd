// SPDX-License-Identifier: Apache-2.0
//
// By initializers, assignments and calls such as `layers.push_back([this] { ... })`.
#include "scan/StoredLambdas.h"

#include "scan/Libraries.h"
#include "scan/MemberTypes.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::scan {
namespace {

/// What an expression shows, or an element of: `layers[0]`.
const clang::ValueDecl* namedBy(const clang::Expr& Given) {
  const clang::Expr* E = Given.IgnoreParenImpCasts();
  if (const auto* Call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E)) {
    return Call->getOperator() == clang::OO_Subscript ? namedBy(*Call->getArg(0)) : nullptr;
  }
  const auto* Member = llvm::dyn_cast<clang::MemberExpr>(E);
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E);
  return Member ? Member->getMemberDecl() : Name ? Name->getDecl() : nullptr;
}

}  // namespace

bool holdsFunction(clang::QualType Type) {
  if (Type->isFunctionPointerType() || Type->isMemberFunctionPointerType()) {
    return true;
  }
  const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
  const auto IsOfFunction = [](const clang::TemplateArgument& Each) {
    return Each.getKind() == clang::TemplateArgument::Type && holdsFunction(Each.getAsType());
  };
  return Class && isOfLibraryOrSystem(*Class) && llvm::isa<clang::ClassTemplateSpecializationDecl>(Class) &&
         (qualifiedName(*Class) == "std::function" || llvm::any_of(templateArguments(Class), IsOfFunction));
}

llvm::SmallVector<const clang::FunctionDecl*, 1> callOperatorsOf(const clang::CXXRecordDecl& Class) {
  llvm::SmallVector<const clang::FunctionDecl*, 1> Found;
  for (const clang::Decl* Each : Class.decls()) {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Each);
    const auto* Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(Each);
    if (Method && Method->getOverloadedOperator() == clang::OO_Call) {
      Found.push_back(Method);
    } else if (Template && Template->getDeclName().getCXXOverloadedOperator() == clang::OO_Call) {
      Found.append(Template->spec_begin(), Template->spec_end());
    }
  }
  return Found;
}

class StoredLambdas::Collector : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit Collector(StoredLambdas& Found) : Found(Found) { ShouldVisitTemplateInstantiations = true; }

  bool TraverseDecl(clang::Decl* D) override { return !D || isForeign(*D) || clang::DynamicRecursiveASTVisitor::TraverseDecl(D); }
  bool VisitFieldDecl(clang::FieldDecl* Field) override {
    add(Field, Field->getInClassInitializer());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* Variable) override {
    add(Variable, Variable->getInit());
    return true;
  }
  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl* Constructor) override {
    for (const clang::CXXCtorInitializer* Each : Constructor->inits()) {
      add(Each->getMember(), Each->getInit());
    }
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* Call) override {
    if (Call->getOperator() == clang::OO_Equal) {
      add(namedBy(*Call->getArg(0)), Call->getArg(1));
    }
    return true;
  }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* Call) override {
    for (const clang::Expr* Each : Call->arguments()) {
      add(namedBy(*Call->getImplicitObjectArgument()), Each);
    }
    return true;
  }

 private:
  void add(const clang::ValueDecl* To, const clang::Stmt* Value) {
    if (!To || !Value) {
      return;
    }
    if (const auto* Lambda = llvm::dyn_cast<clang::LambdaExpr>(Value)) {
      Found.Known[llvm::cast<clang::ValueDecl>(To->getCanonicalDecl())].push_back(Lambda->getLambdaClass());
    } else if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Value); Name && llvm::isa<clang::FunctionDecl>(Name->getDecl())) {
      Found.Functions[llvm::cast<clang::ValueDecl>(To->getCanonicalDecl())].push_back(llvm::cast<clang::FunctionDecl>(Name->getDecl()));
    } else {
      llvm::for_each(Value->children(), [&](const clang::Stmt* Each) { add(To, Each); });
    }
  }

  StoredLambdas& Found;
};

StoredLambdas::StoredLambdas(const clang::ASTContext& Context) {
  Collector Collect(*this);
  for (clang::Decl* Each : Context.getTranslationUnitDecl()->noload_decls()) {
    Collect.TraverseDecl(Each);
  }
}

template <class Map>
static auto found(const Map& All, const clang::ValueDecl& D) {
  const auto Place = All.find(llvm::cast<clang::ValueDecl>(D.getCanonicalDecl()));
  return Place == All.end() ? llvm::ArrayRef<typename Map::mapped_type::value_type>() : llvm::ArrayRef(Place->second);
}

llvm::ArrayRef<const clang::CXXRecordDecl*> StoredLambdas::in(const clang::ValueDecl& D) const { return found(Known, D); }

llvm::ArrayRef<const clang::FunctionDecl*> StoredLambdas::functionsIn(const clang::ValueDecl& D) const { return found(Functions, D); }

}  // namespace graphgen::scan
