// SPDX-License-Identifier: Apache-2.0
//
// A callable needs an address that generated code can name and call: everything else is refused here, by reason.
#include "scan/Eligibility.h"

#include "scan/Instances.h"
#include "scan/NamedFunction.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {
namespace {

using clang::CXXMethodDecl;
using clang::FunctionDecl;

std::string named(const clang::NamedDecl& D) { return "'" + D.getNameAsString() + "'"; }

llvm::StringRef unsuitableVariable(const clang::DeclaratorDecl& D) {
  const clang::CXXRecordDecl* Class = D.getType()->getAsCXXRecordDecl();
  if (Class && Class->isLambda()) {
    return "a lambda, which generated code cannot name; write a function, or a class with an operator()";
  }
  if (Class && Class->isInStdNamespace() && Class->getDeclName().isIdentifier() && Class->getName() == "function") {
    return "a std::function, which may call another function each time; annotate the function that it calls";
  }
  if (D.getType()->isFunctionPointerType() || D.getType()->isMemberFunctionPointerType()) {
    return "a pointer, which may call another function each time; annotate the function that it calls";
  }
  return "a variable; annotate the function that makes or uses it";
}

/// What `D` is, in words, if it can never be captured.
llvm::StringRef unsuitableKind(const clang::NamedDecl& D) {
  if (llvm::isa<clang::CXXConstructorDecl>(D)) {
    return "a constructor";
  }
  if (llvm::isa<clang::CXXDestructorDecl>(D)) {
    return "a destructor";
  }
  if (llvm::isa<clang::CXXConversionDecl>(D)) {
    return "a conversion";
  }
  if (llvm::isa<clang::CXXDeductionGuideDecl>(D)) {
    return "a deduction guide";
  }
  if (const auto* Variable = llvm::dyn_cast<clang::DeclaratorDecl>(&D); Variable && !llvm::isa<FunctionDecl>(D)) {
    return unsuitableVariable(*Variable);
  }
  if (llvm::isa<clang::TypeDecl>(D)) {
    return "a type";
  }
  return llvm::isa<FunctionDecl>(D) ? "" : "no function";
}

/// What makes the function `F` unsuitable, in words.
llvm::StringRef unsuitableForm(const FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<CXXMethodDecl>(&F);
  const auto Operator = F.getOverloadedOperator();
  if (Method && Method->getParent()->isLambda()) {
    return "is a lambda, which generated code cannot name; write a function, or a class with an operator()";
  }
  if (F.getParentFunctionOrMethod() || F.isLocalExternDecl()) {
    return "is declared inside a function, where generated code cannot name it";
  }
  if (Method && !Method->getParent()->getDeclName()) {
    return "belongs to a class without a name";
  }
  if (F.getFriendObjectKind() != clang::Decl::FOK_None) {
    return "is declared as a friend; annotate its declaration outside the class";
  }
  if (F.isDeleted()) {
    return "is deleted";
  }
  if (F.isMain()) {
    return "is the program's entry";
  }
  if (F.isConsteval()) {
    return "is consteval: it has no address at run time";
  }
  if (F.isVariadic()) {
    return "takes a variable number of arguments";
  }
  const FunctionDecl* Pattern = F.getTemplateInstantiationPattern();
  if (llvm::any_of((Pattern ? Pattern : &F)->parameters(), [](const clang::ParmVarDecl* Each) { return Each->isParameterPack(); })) {
    return "takes a parameter pack, whose elements have no names; take a std::vector or a std::tuple, or annotate a function that calls it";
  }
  if (llvm::isa_and_nonnull<clang::CoroutineBodyStmt>(F.getBody())) {
    return "is a coroutine: it would be captured only up to where it suspends; annotate the function that does the work in between";
  }
  if ((Operator != clang::OO_None && Operator != clang::OO_Call) || F.getLiteralIdentifier()) {
    return "is an operator; of those only operator() is supported yet";
  }
  if (Method && Method->isVolatile()) {
    return "is volatile";
  }
  return Method && Method->isExplicitObjectMemberFunction() ? "takes its object explicitly" : "";
}

const clang::NamedDecl* inaccessible(const FunctionDecl& F) {
  for (const clang::NamedDecl* D = &F; D; D = llvm::dyn_cast<clang::CXXRecordDecl>(D->getDeclContext())) {
    if (D->getAccess() == clang::AS_private || D->getAccess() == clang::AS_protected) {
      return D;
    }
  }
  return nullptr;
}

/// Whether the method's class has the friend that generated code names it by.
bool letsGraphedIn(const FunctionDecl& F) {
  const auto* Class = llvm::cast<clang::CXXRecordDecl>(F.getDeclContext());
  return llvm::any_of(Class->friends(), [](const clang::FriendDecl* Each) {
    const clang::TypeSourceInfo* Type = Each->getFriendType();
    const clang::CXXRecordDecl* Friend = Type ? Type->getType()->getAsCXXRecordDecl() : nullptr;
    return Friend && Friend->getQualifiedNameAsString() == "graphed::access";
  });
}

void refuse(const AnnotatedDecl& Annotated, Reporter& Report, llvm::StringRef Id, const llvm::Twine& Message) {
  Report.error(Annotated.place(), Id, Message);
  if (Annotated.Text->namesFunction()) {
    Report.note(Annotated.Declaration->getLocation(), named(*Annotated.Declaration) + " is declared here");
  } else {
    Report.note(Annotated.Text->location(), "annotated here");
  }
}

void refuseUnreachable(const AnnotatedDecl& Annotated, const FunctionDecl& F, Reporter& Report) {
  const clang::NamedDecl* Hidden = inaccessible(F);
  if (Hidden && !(Hidden == &F && letsGraphedIn(F))) {
    const llvm::StringRef Access = Hidden->getAccess() == clang::AS_private ? "private" : "protected";
    const llvm::StringRef Remedy =
        Hidden == &F ? "write 'friend struct graphed::access;' in its class, or make it public" : "make it public";
    refuse(Annotated, Report, "graphed-access", named(*Hidden) + " is " + Access + ": generated code cannot name it; " + Remedy);
    return;
  }
  const auto* Method = llvm::dyn_cast<CXXMethodDecl>(&F);
  if (Method && Method->getRefQualifier() == clang::RQ_RValue) {
    refuse(Annotated, Report, "graphed-rvalue-method",
           named(F) + " is '&&'-qualified: it may consume its object, which a graph uses again");
  } else if (F.getASTContext().getLangOpts().IsHeaderFile && !F.isExternallyVisible()) {
    refuse(
        Annotated, Report, "graphed-linkage",
        named(F) + " has internal linkage in a header: each source file has a function of its own, and generated code would call another; " +
            "make it 'inline'");
  }
}

}  // namespace

std::vector<const FunctionDecl*> eligibleFunctions(const AnnotatedDecl& Annotated, Reporter& Report) {
  const clang::NamedDecl& D = *Annotated.Declaration;
  if (Annotated.Text->namesFunction() && !llvm::isa<FunctionDecl>(D)) {
    refuseNamed(Annotated, Report);
    return {};
  }
  if (const llvm::StringRef Kind = unsuitableKind(D); !Kind.empty()) {
    refuse(Annotated, Report, "graphed-declaration", "GRAPHED marks functions and methods, and " + named(D) + " is " + Kind);
    return {};
  }
  const auto& F = llvm::cast<FunctionDecl>(D);
  if (const llvm::StringRef Form = unsuitableForm(F); !Form.empty()) {
    refuse(Annotated, Report, "graphed-declaration", "cannot capture " + named(F) + ": it " + Form);
    return {};
  }
  refuseUnreachable(Annotated, F, Report);
  if (!F.isTemplated()) {
    return {&F};
  }
  std::vector<const FunctionDecl*> Instances = chosenInstances(F);
  if (Instances.empty()) {
    refuse(Annotated, Report, "graphed-declaration",
           "cannot capture " + named(F) + ": it is a template, or part of one, that this file neither instantiates nor uses");
    Report.note(F.getLocation(), "instantiate each form to capture, 'extern template ...;' in a header, 'template ...;' in a source file; a source file may also use it");
  }
  return Instances;
}

}  // namespace graphgen::scan
