// SPDX-License-Identifier: Apache-2.0
//
// Reads what a declaration says: its names, its object, its parameters, its result.
#include "scan/Signature.h"

#include "annotation/Bind.h"
#include "scan/Defaults.h"
#include "scan/MemberTypes.h"
#include "scan/ParameterNames.h"
#include "scan/TypeReader.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/CXXInheritance.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {
namespace {

using annotation::CallableKind;
using annotation::TypeKind;

/// The scope that the function's qualified name names.
clang::DeclContext* namedScope(const clang::FunctionDecl& Function) {
  auto* Scope = const_cast<clang::DeclContext*>(Function.getDeclContext()->getRedeclContext());
  for (auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Scope);
       Namespace && (Namespace->isAnonymousNamespace() || Namespace->isInline()); Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Scope)) {
    Scope = Namespace->getParent()->getRedeclContext();
  }
  return Scope;
}

bool isOverloaded(clang::Sema& Sema, const clang::FunctionDecl& Function) {
  clang::LookupResult Result(Sema, Function.getDeclName(), Function.getLocation(), clang::Sema::LookupOrdinaryName);
  Result.suppressDiagnostics();
  Sema.LookupQualifiedName(Result, namedScope(Function));
  return Result.isAmbiguous() || std::distance(Result.begin(), Result.end()) > 1;
}

/// By an attribute of the declaration, of its class or namespace, or by a pragma; not by the flags.
bool isExported(const clang::NamedDecl& D) {
  const clang::LinkageInfo Known = D.getLinkageAndVisibility();
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(D.getDeclContext());
  return Known.isVisibilityExplicit() && Known.getVisibility() == clang::DefaultVisibility && (!Class || isExported(*Class));
}

std::string functionType(const clang::ASTContext& Context, const clang::FunctionDecl& Function) {
  const clang::QualType Type = Context.getFunctionTypeWithExceptionSpec(Function.getType(), clang::EST_None).getCanonicalType();
  return typeName(Context, Type);
}

void readObject(const clang::CXXMethodDecl& Method, annotation::Declaration& Declaration) {
  Declaration.ObjectType = instanceName(*Method.getParent());
  Declaration.ObjectIsConst = Method.isConst();
  Declaration.ObjectIsModule = isModule(*Method.getParent());
}

/// What the default argument could be instead.
std::string otherDefault(TypeKind Kind, const std::string& Name) {
  switch (Kind) {
    case TypeKind::Tensor:
    case TypeKind::Optional:
      return "write '= {}', mark '" + Name + "' as optional, and make the tensor in the body";
    case TypeKind::Struct:
    case TypeKind::Tuple:
    case TypeKind::Array:
      return "write '= {}', or braces with a constant or '{}' for each member";
    case TypeKind::Module:
    case TypeKind::Object:
      return "write '= nullptr' of a pointer, or remove the default argument";
    default:
      return "write a constant, or remove the default argument";
  }
}

void readDefault(clang::Sema& Sema, const clang::ParmVarDecl& Declared, Reporter& Report, annotation::Parameter& P) {
  if (Declared.hasUninstantiatedDefaultArg()) {
    auto* Function = const_cast<clang::FunctionDecl*>(llvm::cast<clang::FunctionDecl>(Declared.getDeclContext()));
    Sema.BuildCXXDefaultArgExpr(Declared.getLocation(), Function, const_cast<clang::ParmVarDecl*>(&Declared));
  }
  if (!Declared.hasDefaultArg() || Declared.hasUninstantiatedDefaultArg() || Declared.hasUnparsedDefaultArg()) {
    return;
  }
  const clang::Expr& Value = *Declared.getDefaultArg();
  P.Default = defaultText(Sema.Context, P.Type.Kind, Declared.getType(), Value);
  if (P.Default) {
    return;
  }
  Report.error(Value.getExprLoc(), "graphed-default-argument",
               "the default argument of parameter '" + P.Name +
                   "' cannot be repeated in generated code: it is neither a constant nor '{}'; " + otherDefault(P.Type.Kind, P.Name))
      << Value.getSourceRange();
  Report.note(Declared.getLocation(), "without a default argument here, callers of the graphed form pass '" + P.Name + "' themselves");
}

/// Reports of what cannot be flattened. `Subject` is "parameter" or "the result".
void tellProblems(const clang::NamedDecl& Declared, clang::SourceRange Range, llvm::StringRef Id, const std::string& Subject,
                  const std::string& Name, llvm::ArrayRef<TypeProblem> Problems, Reporter& Report) {
  for (const TypeProblem& Problem : Problems) {
    const bool IsWhole = Problem.Path == Name;
    const std::string What = IsWhole ? Subject : "member '" + Problem.Path + "' of " + Subject;
    Report.error(Declared.getLocation(), Id, What + " " + Problem.Why) << Range;
    if (Problem.Place) {
      Report.note(Problem.Place->getLocation(), "'" + Problem.Place->getNameAsString() + "' is declared here");
    }
  }
}

/// `Latest` is the parameter in the last redeclaration, which may have added a default argument.
annotation::Parameter readParameter(clang::Sema& Sema, const std::string& Name, const clang::ParmVarDecl& Declared,
                                    const clang::ParmVarDecl& Latest, llvm::ArrayRef<annotation::Field> Said, Reporter& Report) {
  std::vector<TypeProblem> Problems;
  annotation::Parameter P;
  P.Name = Name;
  P.Type = readParameterType(Sema, Declared, annotation::specOf(Name, Said), Problems);
  if (Problems.empty()) {
    readDefault(Sema, Latest, Report, P);
    return P;
  }
  tellProblems(Declared, Declared.getSourceRange(), "graphed-parameter-type", "parameter '" + P.Name + "'", P.Name, Problems, Report);
  if (P.Type.Kind == TypeKind::Unsupported) {
    Report.note(Declared.getLocation(),
                "tensors are taken as Tensor, const Tensor & and Tensor &, other values as bool, integers, float, double, enums, strings, "
                "torch::Device, torch::Scalar, lists and optionals of these, and graphed::Scalar; structs, tuples, arrays, vectors, "
                "optionals and maps of "
                "them by value or by reference; modules and other objects by reference, pointer or smart pointer");
  }
  return P;
}

void readResult(clang::Sema& Sema, const clang::FunctionDecl& Function, Reporter& Report, annotation::Declaration& Declaration) {
  std::vector<TypeProblem> Problems;
  Declaration.Result = readResultType(Sema, Function, Problems);
  tellProblems(Function, Function.getReturnTypeSourceRange(), "graphed-result-type", "the result", "", Problems, Report);
  if (Declaration.Result.Kind == TypeKind::Unsupported) {
    Report.note(
        Function.getLocation(),
        "results are void, Tensor and numbers that are read of tensors, and structs, tuples, arrays, vectors, optionals and maps of "
        "these, or a std::unique_ptr to one");
  }
}

}  // namespace

void readSignature(clang::Sema& Sema, const clang::FunctionDecl& Function, clang::SourceLocation Annotation,
                   llvm::ArrayRef<annotation::Field> Said, Reporter& Report, annotation::Declaration& Declaration) {
  const clang::ASTContext& Context = Function.getASTContext();
  Declaration.QualifiedName = instanceName(Function);
  Declaration.Kind = CallableKind::Function;
  Declaration.IsExported = isExported(Function);
  if (const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function)) {
    Declaration.Kind = Method->isStatic() ? CallableKind::StaticMethod : CallableKind::Method;
    Declaration.IsHidden = Method->getAccess() == clang::AS_private || Method->getAccess() == clang::AS_protected;
    if (!Method->isStatic()) {
      readObject(*Method, Declaration);
    }
  }
  Declaration.IsOverloaded = isOverloaded(Sema, Function);
  if (Declaration.IsOverloaded || (!Function.getDeclContext()->isRecord() && isSpellable(Function.getType()))) {
    Declaration.FunctionType = functionType(Context, Function);
  }
  const clang::FunctionDecl& Latest = *Function.getMostRecentDecl();
  for (const auto& [P, Name] : llvm::zip_equal(Function.parameters(), parameterNames(Function, Annotation, Report))) {
    Declaration.Parameters.push_back(readParameter(Sema, Name, *P, *Latest.getParamDecl(P->getFunctionScopeIndex()), Said, Report));
  }
  readResult(Sema, Function, Report, Declaration);
}

}  // namespace graphgen::scan
