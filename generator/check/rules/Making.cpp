// SPDX-License-Identifier: Apache-2.0
#include "check/rules/Making.h"

#include "check/code/KnownValues.h"
#include "check/code/Library.h"
#include "check/flow/Types.h"
#include "check/rules/Settled.h"

#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// What torch::nn::Cloneable's constructors and clone() call.
bool isModulesReset(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  return Method && Method->getIdentifier() && llvm::is_contained({"reset", "reset_parameters"}, Method->getName()) &&
         llvm::any_of(Method->overridden_methods(), [](const clang::CXXMethodDecl* Each) { return isOfLibrary(*Each); });
}

/// A setter of options, `Options& rate(double)`, by which they are made.
bool isOfOptions(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  const clang::QualType Given = F.getReturnType();
  return Method && F.getNumParams() == 1 && Given->isLValueReferenceType() && Given->getPointeeType()->getAsCXXRecordDecl() &&
         Given->getPointeeType()->getAsCXXRecordDecl()->getCanonicalDecl() == Method->getParent()->getCanonicalDecl();
}

bool isNamedAsSetUp(const clang::CXXMethodDecl& Method) {
  const std::string Name = Method.getIdentifier() ? Method.getName().lower() : "";
  return llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"setup", "set_up", "init", "build", "make", "create", "construct", "alloc", "reset",
                                                      "load", "register", "prepare", "configure", "resize", "reserve"},
                      [&](llvm::StringRef Each) { return llvm::StringRef(Name).contains(Each); });
}

bool mentionsParameter(const clang::Stmt& S) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&S);
  return (Name && llvm::isa<clang::ParmVarDecl>(Name->getDecl())) ||
         llvm::any_of(S.children(), [](const clang::Stmt* Each) { return Each && mentionsParameter(*Each); });
}

/// Of the object that it is a method of. A setter gives the object what it gets: it changes that, unless its name says that it sets up.
bool makesTensors(const clang::FunctionDecl& F, const UnitIndex& Unit) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  const auto IsMade = [&](const clang::FieldDecl* Each) {
    const flow::TypeKind Kind = flow::kindOf(Each->getType());
    const bool IsPart = Kind == flow::TypeKind::Tensor ||
                        (Kind == flow::TypeKind::Pointer && flow::kindOf(flow::pointeeOf(Each->getType())) != flow::TypeKind::Number);
    return IsPart && llvm::any_of(Unit.writesTo(*Each), [&](const StateWrite& Write) {
             return Write.Writer == &F && Write.To.IsOnThis && Write.Value && !Write.IsUpdate && !isEmpty(*Write.Value) &&
                    (isNamedAsSetUp(*Method) || !mentionsParameter(*Write.Value));
           });
  };
  return Method && llvm::any_of(Method->getParent()->fields(), IsMade);
}

}  // namespace

/// No other file can call it: not only this file's callers are all.
static bool isCalledHereAlone(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  return !F.isExternallyVisible() || (Method && Method->getAccess() == clang::AS_private && areMethodsDefinedHere(*Method->getParent()));
}

bool setsOption(const clang::FunctionDecl& F) {
  const auto IsInName = [&](llvm::StringRef Each) { return llvm::cast<clang::CXXMethodDecl>(F).getParent()->getName().contains(Each); };
  return isOfOptions(F) && !F.isOverloadedOperator() && (IsInName("Options") || IsInName("Config") || IsInName("Args"));
}

std::vector<const clang::FieldDecl*> fieldsSetBy(const clang::CXXMethodDecl& Method, const UnitIndex& Unit) {
  const auto Sets = [&](const StateWrite& Each) { return Each.Writer == &patternOf(Method) && Each.To.IsOnThis; };
  std::vector<const clang::FieldDecl*> Set;
  llvm::copy_if(Method.getParent()->fields(), std::back_inserter(Set),
                [&](const clang::FieldDecl* Each) { return llvm::any_of(Unit.writesTo(*Each), Sets); });
  return Set;
}

bool onlyMakes(const clang::FunctionDecl& F, const UnitIndex& Unit, unsigned Depth) {
  const llvm::ArrayRef<CallSite> Calls = Unit.callsOf(F);
  if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(F) || isModulesReset(F)) {
    return true;
  }
  if (setsOption(F)) {
    return true;
  }
  if (isOfOptions(F) && !F.isOverloadedOperator()) {
    return false;
  }
  if (makesTensors(F, Unit)) {
    return llvm::none_of(Calls, [](const CallSite& Each) { return Each.IsRepeated; });
  }
  return isCalledHereAlone(F) && Depth < MostCallers && !Calls.empty() &&
         llvm::all_of(Calls, [&](const CallSite& Each) { return Each.Caller && onlyMakes(*Each.Caller, Unit, Depth + 1); });
}

bool isMaking(const clang::FunctionDecl& F, const UnitIndex& Unit, unsigned Depth) {
  if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(F) || isModulesReset(F) || isOfOptions(F) || makesTensors(F, Unit)) {
    return true;
  }
  const llvm::ArrayRef<CallSite> Calls = Unit.callsOf(F);
  return Depth < MostCallers && !Calls.empty() &&
         llvm::all_of(Calls, [&](const CallSite& Each) { return Each.Caller && isMaking(*Each.Caller, Unit, Depth + 1); });
}

}  // namespace graphgen::check
