// SPDX-License-Identifier: Apache-2.0
//
// From the tensor down to the numbers that it is made of, through local variables that nothing is written into.
#include "check/HostValues.h"

#include "check/code/DataReads.h"
#include "check/code/Library.h"
#include "check/code/Reassigned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/Devices.h"
#include "check/tensors/HostTensors.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostValueSteps = 1024;  // of one question
constexpr unsigned MostViews = 32;         // one behind the other

bool fillsByNumbers(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"zeros", "ones", "full", "eye", "arange", "range", "linspace", "logspace", "tensor", "scalar_tensor"}, true)
      .Default(false);
}

bool computes(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"select", "slice", "narrow", "index", "view", "reshape", "flatten", "squeeze", "unsqueeze", "flip"}, true)
      .Cases({"sum", "prod", "mean", "max", "min", "cumsum", "cumprod", "amax", "amin", "numel", "clone", "contiguous"}, true)
      .Cases({"exp", "log", "log2", "sqrt", "rsqrt", "pow", "square", "abs", "neg", "reciprocal", "sin", "cos"}, true)
      .Cases({"add", "sub", "mul", "div", "remainder", "floor", "ceil", "round", "clamp", "clamp_min", "clamp_max", "to"}, true)
      .Cases({"cat", "stack"}, true)
      .Default(false);
}

bool isMath(const clang::FunctionDecl& Function) {
  return Function.getIdentifier() && (Function.isInStdNamespace() || Function.isExternC()) &&
         llvm::StringSwitch<bool>(Function.getName())
             .Cases({"sqrt", "pow", "exp", "log", "log2", "log10", "sin", "cos", "tan", "abs", "fabs", "floor", "ceil"}, true)
             .Cases({"round", "lround", "min", "max", "clamp"}, true)
             .Default(false);
}

/// The local variable that E, or the tensor that it shows, belongs to; null where it is none.
const clang::VarDecl* rootOf(const clang::Expr& Given, unsigned Depth = 0) {
  const clang::Expr& E = withoutCasts(Given);
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    const bool IsOther =
        Variable && Variable->isLocalVarDecl() && Variable->getInit() && isTensor(Variable->getType()) && Depth < MostViews;
    const clang::VarDecl* Further = IsOther ? rootOf(*Variable->getInit(), Depth + 1) : nullptr;
    return Further ? Further : Variable;
  }
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E); Construction && Construction->getNumArgs() == 1) {
    return rootOf(*Construction->getArg(0), Depth + 1);
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::Expr* Tensor = Call && Depth < MostViews ? tensorOf(*Call) : nullptr;
  return Tensor && isTensor(Tensor->getType()) ? rootOf(*Tensor, Depth + 1) : nullptr;
}

/// In place, by assignment, into an argument that takes the result, or through a pointer.
bool writesOrHandsOn(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || !isOfLibrary(*Function)) {
    return true;
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
  const llvm::StringRef Name = Function->getIdentifier() ? Function->getName() : "";
  return (Operator && Operator->isAssignmentOp()) || isInPlace(Call) || Name.ends_with("_") || Name.contains("_out") ||
         Name.contains("data_ptr") || Name.contains("accessor");
}

/// torch::cat({a, b}) writes into none of them.
bool onlyReads(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  return Function && Function->getIdentifier() && computes(Function->getName()) && !writesOrHandsOn(Call);
}

/// What a list is given to may write into its tensors.
bool mayBeWritten(const clang::Stmt& S, const clang::VarDecl& Variable, bool IsOperand = false) {
  const auto IsIts = [&](const clang::Expr* Each) { return Each && isTensor(Each->getType()) && rootOf(*Each) == &Variable; };
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const auto* List = llvm::dyn_cast<clang::InitListExpr>(&S);
  const bool IsGiven = Call && writesOrHandsOn(*Call) && (IsIts(tensorOf(*Call)) || llvm::any_of(Call->arguments(), IsIts));
  const bool IsFurther = Call ? onlyReads(*Call) : IsOperand;
  return IsGiven || (List && !IsOperand && llvm::any_of(List->inits(), IsIts)) ||
         llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && mayBeWritten(*Each, Variable, IsFurther); });
}

bool isOfSizes(clang::QualType Type) { return libraryClass(Type).ends_with("ArrayRef") || libraryClass(Type) == "TensorOptions"; }

class Origins {
 public:
  explicit Origins(const Place& At) : At(At) {}

  bool isHostTensor(const clang::Expr& Given) {
    const clang::Expr& E = withoutCasts(Given);
    if (++Steps > MostValueSteps) {
      return false;
    }
    if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
      return Construction->getNumArgs() == 1 && isHostTensor(*Construction->getArg(0));
    }
    if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
      const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
      return Variable && isHostVariable(*Variable);
    }
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
    return Call && isMadeOnHost(*Call);
  }

  bool isHostVariable(const clang::VarDecl& Variable) {
    const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
    const bool IsKept = Variable.isLocalVarDecl() && !Variable.isStaticLocal() && Variable.getInit() && Function && Function->getBody() &&
                        !isReassigned(Variable) && !mayBeWritten(*Function->getBody(), Variable);
    return IsKept && isHostTensor(*Variable.getInit());
  }

 private:
  bool isMadeOnHost(const clang::CallExpr& Call) {
    const clang::FunctionDecl* Function = Call.getDirectCallee();
    if (!Function || !isOfLibrary(*Function) || !isTensor(Call.getType()) || isInPlace(Call)) {
      return false;
    }
    const llvm::StringRef Name = Function->getIdentifier() ? Function->getName() : "";
    if (Name == "_shape_as_tensor") {
      return true;
    }
    const bool IsMethod = llvm::isa<clang::CXXMemberCallExpr>(Call);
    if (!IsMethod && fillsByNumbers(Name)) {
      return (madeOnHost(Call) || makesHostTensor(Call, At.Index)) && areKnown(Call.arguments());
    }
    const bool IsOperator = llvm::isa<clang::CXXOperatorCallExpr>(Call);
    const clang::Expr* Object = IsMethod ? tensorOf(Call) : nullptr;
    return (IsOperator || computes(Name)) && (!Object || isHostTensor(*Object)) && areKnown(Call.arguments());
  }

  /// A number, a dtype, the host, or a tensor of these.
  bool isKnown(const clang::Expr& Given) {
    const clang::Expr& E = withoutCasts(Given);
    if (++Steps > MostValueSteps) {
      return false;
    }
    if (isTensor(E.getType())) {
      return isHostTensor(E);
    }
    if (mayNameDevice(E)) {
      return namesHost(E, At.Index);
    }
    if (llvm::isa<clang::CXXDefaultArgExpr>(E)) {
      return true;
    }
    if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
      return isKnownVariable(*Name->getDecl());
    }
    if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
      return isKnownCall(*Call);
    }
    return !llvm::isa<clang::MemberExpr, clang::CXXThisExpr, clang::LambdaExpr, clang::CXXNewExpr>(E) &&
           llvm::all_of(E.children(), [&](const clang::Stmt* Each) {
             const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
             return !Each || (Part && isKnown(*Part));
           });
  }

  bool isKnownVariable(const clang::ValueDecl& Named) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&Named);
    if (!Variable) {
      return llvm::isa<clang::EnumConstantDecl>(Named);
    }
    if (Variable->isConstexpr() || llvm::isa<clang::ParmVarDecl>(Variable)) {
      return Variable->isConstexpr() || (!At.In.Caller && Variable->getType()->isArithmeticType());
    }
    if (!Variable->isLocalVarDecl() || Variable->isStaticLocal()) {
      return Variable->getType().isConstQualified() && Variable->getAnyInitializer() && isKnown(*Variable->getAnyInitializer());
    }
    std::optional<std::vector<const clang::Expr*>> Values = valuesAssigned(*Variable);
    return Values && Variable->getInit() && isKnown(*Variable->getInit()) && areKnown(*Values);
  }

  bool isKnownCall(const clang::CallExpr& Call) {
    const clang::FunctionDecl* Function = Call.getDirectCallee();
    if (!Function || !isOfLibrary(*Function)) {
      return false;
    }
    if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call)) {
      const clang::Expr& Object = *Method->getImplicitObjectArgument();
      const bool IsForm = isTensor(Object.getType()) ? asksForFormOnly(Call) : isOfSizes(Object.getType()) && isKnown(Object);
      return IsForm && areKnown(Call.arguments());
    }
    const bool IsComputed =
        isMath(*Function) || llvm::isa<clang::CXXOperatorCallExpr>(Call) || libraryClass(Call.getType()) == "TensorOptions";
    return IsComputed && areKnown(Call.arguments());
  }

  template <class Range>
  bool areKnown(const Range& Values) {
    return llvm::all_of(Values, [this](const clang::Expr* Each) { return isKnown(*Each); });
  }

  const Place& At;
  unsigned Steps = 0;
};

const clang::VarDecl* variableMadeBy(const clang::CallExpr& Made, const clang::Stmt& S) {
  const auto* Declarations = llvm::dyn_cast<clang::DeclStmt>(&S);
  const auto* Variable =
      Declarations && Declarations->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(Declarations->getSingleDecl()) : nullptr;
  if (Variable && Variable->getInit() && &originOf(*Variable->getInit()) == &Made) {
    return Variable;
  }
  for (const clang::Stmt* Each : S.children()) {
    if (const clang::VarDecl* Found = Each ? variableMadeBy(Made, *Each) : nullptr) {
      return Found;
    }
  }
  return nullptr;
}

bool isOnlyReadAsNumbers(const clang::Stmt& S, const clang::VarDecl& Variable) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&S);
  return bool(tensorCall(S, {"item", "size", "sizes", "numel", "dim"})) ||
         (!(Name && Name->getDecl() == &Variable) &&
          llvm::all_of(S.children(), [&](const clang::Stmt* Each) { return !Each || isOnlyReadAsNumbers(*Each, Variable); }));
}

}  // namespace

bool makesTableOfNumbers(const clang::CallExpr& Made, const Place& At) {
  const clang::Stmt* Body = At.In.Function->getBody();
  const clang::VarDecl* Variable = Body ? variableMadeBy(Made, *Body) : nullptr;
  return Variable && isOnlyReadAsNumbers(*Body, *Variable) && Origins(At).isHostVariable(*Variable);
}

bool readsOnlyHost(const TensorCall& Read, const Place& At) {
  const auto IsHosts = [&](const clang::Expr* Each) { return !isTensor(Each->getType()) || Origins(At).isHostTensor(*Each); };
  return IsHosts(tensorOf(*Read.Call)) && llvm::all_of(Read.Call->arguments(), IsHosts);
}

}  // namespace graphgen::check
