// SPDX-License-Identifier: Apache-2.0
//
// Looks at every use of the variable, lambdas included.
#include "check/code/Reassigned.h"

#include "check/code/Library.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtVisitor.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostReassignedDepth = 4;  // of functions that hand it on

bool names(const clang::Expr& E, const clang::VarDecl& Variable) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E.IgnoreParenImpCasts());
  return Name && Name->getDecl() == &Variable;
}

bool mentions(const clang::Expr& Given, const clang::VarDecl& Variable) {
  const clang::Expr& E = *Given.IgnoreParenImpCasts();
  const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E);
  return names(Unary && Unary->getOpcode() == clang::UO_AddrOf ? *Unary->getSubExpr() : E, Variable);
}

bool isKeptBy(const clang::FunctionDecl& Called, unsigned Parameter, unsigned Depth);

bool isHandedOn(const clang::CallExpr& Call, const clang::VarDecl& Variable, unsigned Depth) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || isOfLibrary(*Function)) {
    const bool IsUnknown = !Function && Call.isTypeDependent();
    const bool IsTied = Function && Function->getIdentifier() && llvm::is_contained({"tie", "swap", "exchange"}, Function->getName());
    return (IsTied || IsUnknown) && llvm::any_of(Call.arguments(), [&](const clang::Expr* Each) { return mentions(*Each, Variable); });
  }
  const unsigned First = llvm::isa<clang::CXXOperatorCallExpr>(Call) && llvm::isa<clang::CXXMethodDecl>(Function) ? 1 : 0;
  for (unsigned Index = First; Index < Call.getNumArgs() && Index - First < Function->getNumParams(); ++Index) {
    if (mentions(*Call.getArg(Index), Variable) && mayChange(Function->getParamDecl(Index - First)->getType()) &&
        !isKeptBy(*Function, Index - First, Depth)) {
      return true;
    }
  }
  return false;
}

/// A function's call that is handed the variable and gives a tensor by reference, perhaps that one: `Tensor& scale_(Tensor& x)`.
bool mayGiveBack(const clang::Expr& Given, const clang::VarDecl& Variable) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&spelled(Given));
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  return Function && !isOfLibrary(*Function) && Call->isLValue() && isTensor(Call->getType()) &&
         llvm::any_of(Call->arguments(), [&](const clang::Expr* Each) { return mentions(*Each, Variable); });
}

/// What S assigns to the variable, as a whole or to what it was; null where it does not.
const clang::Expr* assignedBy(const clang::Stmt& S, const clang::VarDecl& Variable) {
  if (const auto* Assignment = llvm::dyn_cast<clang::BinaryOperator>(&S)) {
    return Assignment->isAssignmentOp() && names(*Assignment->getLHS(), Variable) ? Assignment->getRHS() : nullptr;
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  const bool IsAssignment = Operator && Operator->getOperator() == clang::OO_Equal &&
                            (names(*Operator->getArg(0), Variable) || mayGiveBack(*Operator->getArg(0), Variable));
  return IsAssignment ? Operator->getArg(1) : nullptr;
}

bool isHandedOnBy(const clang::Stmt& S, const clang::VarDecl& Variable, unsigned Depth) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  return Call && !(Operator && Operator->getOperator() == clang::OO_Equal) && isHandedOn(*Call, Variable, Depth);
}

/// `auto& scaled = scale_(variable)`, which is assigned.
bool changesByReference(const clang::Stmt& S, const clang::VarDecl& Variable) {
  const auto* Declarations = llvm::dyn_cast<clang::DeclStmt>(&S);
  return Declarations && llvm::any_of(Declarations->decls(), [&](const clang::Decl* Each) {
           const auto* Other = llvm::dyn_cast<clang::VarDecl>(Each);
           return Other && Other->getInit() && Other->getType()->isLValueReferenceType() && mayGiveBack(*Other->getInit(), Variable) &&
                  isReassigned(*Other);
         });
}

bool changes(const clang::Stmt& S, const clang::VarDecl& Variable, unsigned Depth) {
  return assignedBy(S, Variable) || isHandedOnBy(S, Variable, Depth) || changesByReference(S, Variable);
}

bool anyChanges(const clang::Stmt* S, const clang::VarDecl& Variable, unsigned Depth) {
  return S && (changes(*S, Variable, Depth) ||
               llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return anyChanges(Each, Variable, Depth); }));
}

bool isReassigned(const clang::VarDecl& Variable, unsigned Depth) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  return !Function || !Function->getBody() || anyChanges(Function->getBody(), Variable, Depth);
}

/// `auto& other = variable`, `&variable`.
bool givesOtherName(const clang::Stmt& S, const clang::VarDecl& Variable) {
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&S)) {
    return Unary->getOpcode() == clang::UO_AddrOf && names(*Unary->getSubExpr(), Variable);
  }
  const auto* Declarations = llvm::dyn_cast<clang::DeclStmt>(&S);
  return Declarations && llvm::any_of(Declarations->decls(), [&](const clang::Decl* Each) {
           const auto* Other = llvm::dyn_cast<clang::VarDecl>(Each);
           return Other && Other->getInit() && names(*Other->getInit(), Variable) && Other->getType()->isLValueReferenceType() &&
                  mayChange(Other->getType());
         });
}

/// False where the variable is handed on to what may change it, or a part of it, or has another name.
bool collectAssigned(const clang::Stmt& S, const clang::VarDecl& Variable, std::vector<const clang::Expr*>& Values, unsigned Depth) {
  const unsigned Followed = isTensor(Variable.getType()) ? Depth : MostReassignedDepth;
  if (isHandedOnBy(S, Variable, Followed) || givesOtherName(S, Variable) || changesByReference(S, Variable)) {
    return false;
  }
  if (const clang::Expr* Value = assignedBy(S, Variable)) {
    Values.push_back(Value);
  }
  return llvm::all_of(S.children(), [&](const clang::Stmt* Each) { return !Each || collectAssigned(*Each, Variable, Values, Depth); });
}

/// Whether the function, whose body the unit has, leaves what it is handed by reference, a tensor or an object of the program's, what it
/// was.
bool isKeptBy(const clang::FunctionDecl& Called, unsigned Parameter, unsigned Depth) {
  const clang::QualType Type = Called.getParamDecl(Parameter)->getType();
  const clang::CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Called);
  if (Depth == MostReassignedDepth || (Method && Method->isVirtual()) || !Type->isLValueReferenceType() || !Class) {
    return false;
  }
  const clang::FunctionDecl* Written = writtenBody(Called);
  if (!Written || !isTensor(Type)) {
    return Written && !isOfLibrary(*Class) && !isReassigned(*Written->getParamDecl(Parameter), Depth + 1);
  }
  std::vector<const clang::Expr*> Values;
  return collectAssigned(*Written->getBody(), *Written->getParamDecl(Parameter), Values, Depth + 1) && Values.empty();
}

/// Where statements of a function stand to one another.
class Positions {
 public:
  explicit Positions(const clang::FunctionDecl& In) : Sources(In.getASTContext().getSourceManager()), Body(*In.getBody()) {}

  bool isAfter(clang::SourceLocation A, clang::SourceLocation B) const { return Sources.isBeforeInTranslationUnit(file(B), file(A)); }

  bool holds(const clang::Stmt& S, clang::SourceLocation Where) const {
    return Sources.isPointWithin(file(Where), file(S.getBeginLoc()), file(S.getEndLoc()));
  }

  /// The outermost loop or lambda around `Inner` that does not hold `Outer`; null where there is none.
  const clang::Stmt* repeatedAround(clang::SourceLocation Inner, clang::SourceLocation Outer) const {
    return repeatedIn(Body, Inner, Outer);
  }

 private:
  clang::SourceLocation file(clang::SourceLocation Given) const { return Sources.getFileLoc(Given); }

  const clang::Stmt* repeatedIn(const clang::Stmt& S, clang::SourceLocation Inner, clang::SourceLocation Outer) const {
    if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt, clang::LambdaExpr>(S) && holds(S, Inner) &&
        !holds(S, Outer)) {
      return &S;
    }
    for (const clang::Stmt* Each : S.children()) {
      if (const clang::Stmt* Found = Each ? repeatedIn(*Each, Inner, Outer) : nullptr) {
        return Found;
      }
    }
    return nullptr;
  }

  const clang::SourceManager& Sources;
  const clang::Stmt& Body;
};

bool contains(const clang::Stmt& S, const clang::Expr& Part) {
  return &S == &Part || llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && contains(*Each, Part); });
}

bool isUndefined(const clang::Expr& Value) {
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&spelled(Value));
  return Construction && isTensor(Construction->getType()) && Construction->getNumArgs() == 0;
}

}  // namespace

bool mayChange(clang::QualType Parameter) {
  return (Parameter->isLValueReferenceType() || Parameter->isPointerType()) && !Parameter->getPointeeType().isConstQualified();
}

const clang::FunctionDecl* writtenBody(const clang::FunctionDecl& F) {
  const clang::FunctionDecl* Pattern = F.getTemplateInstantiationPattern();
  const clang::FunctionDecl* Definition = nullptr;
  const bool IsSame = (Pattern ? Pattern : &F)->hasBody(Definition) && Definition->getNumParams() == F.getNumParams() &&
                      llvm::none_of(Definition->parameters(), [](const clang::ParmVarDecl* Each) { return Each->isParameterPack(); });
  return IsSame ? Definition : nullptr;
}

bool isReassigned(const clang::VarDecl& Variable) { return isReassigned(Variable, 0); }

std::optional<std::vector<const clang::Expr*>> valuesAssigned(const clang::VarDecl& Variable) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  std::vector<const clang::Expr*> Values;
  const bool AreAll = Function && Function->getBody() && collectAssigned(*Function->getBody(), Variable, Values, 0);
  return AreAll ? std::optional(std::move(Values)) : std::nullopt;
}

std::optional<std::vector<const clang::Expr*>> valuesAt(const clang::DeclRefExpr& Use, const clang::VarDecl& Variable) {
  std::optional<std::vector<const clang::Expr*>> Values = valuesAssigned(Variable);
  if (!Values) {
    return std::nullopt;
  }
  const Positions In(*llvm::cast<clang::FunctionDecl>(Variable.getDeclContext()));
  const clang::SourceLocation Here = Use.getLocation();
  const clang::Stmt* Repeated = In.repeatedAround(Here, Variable.getLocation());
  llvm::erase_if(*Values, [&](const clang::Expr* Each) {
    const bool IsRepeated = Repeated && (llvm::isa<clang::LambdaExpr>(Repeated) || In.holds(*Repeated, Each->getBeginLoc()));
    return !IsRepeated && (In.isAfter(Each->getBeginLoc(), Here) || contains(*Each, Use));
  });
  if (Variable.getInit()) {
    Values->insert(Values->begin(), Variable.getInit());
  }
  llvm::erase_if(*Values, [](const clang::Expr* Each) { return isUndefined(*Each); });
  return Values;
}

}  // namespace graphgen::check
