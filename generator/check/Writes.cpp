// SPDX-License-Identifier: Apache-2.0
//
// Which statements write tensors: assignments, and LibTorch's functions by their names.
#include "check/WriteSet.h"
#include "check/calls/InplaceOptions.h"
#include "check/code/Callee.h"
#include "check/code/Library.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

struct Operation {
  Write::How Kind;
  const clang::Expr* Target;
  std::string Name;
  clang::SourceLocation Where;
  const clang::Expr* Value = nullptr;
  bool IsPerhaps = false;
};
using Operations = std::vector<Operation>;

bool holdsTensor(clang::QualType Type, unsigned Depth = 0);

bool holdsTensor(const clang::TemplateArgument& Argument, unsigned Depth) {
  if (Argument.getKind() == clang::TemplateArgument::Pack) {
    return llvm::any_of(Argument.pack_elements(), [&](const clang::TemplateArgument& Each) { return holdsTensor(Each, Depth); });
  }
  return Argument.getKind() == clang::TemplateArgument::Type && holdsTensor(Argument.getAsType(), Depth);
}

bool holdsTensor(clang::QualType Type, unsigned Depth) {
  constexpr unsigned MostDepth = 4;
  const clang::CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition() || Depth == MostDepth) {
    return false;
  }
  if (isTensor(Type)) {
    return true;
  }
  if (const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Class); Instance && isOfLibrary(*Class)) {
    return llvm::StringSwitch<bool>(Class->getName())
               .Cases({"vector", "optional", "array", "tuple", "pair", "List"}, true)
               .Cases({"deque", "list", "queue", "stack", "map", "unordered_map", "SmallVector", "Dict", "OrderedDict"}, true)
               .Default(false) &&
           llvm::any_of(Instance->getTemplateArgs().asArray(),
                        [&](const clang::TemplateArgument& Each) { return holdsTensor(Each, Depth + 1); });
  }
  return !isOfLibrary(*Class) &&
         llvm::any_of(Class->fields(), [&](const clang::FieldDecl* Each) { return holdsTensor(Each->getType(), Depth + 1); });
}

/// The library's class of the name, or one that is made from it.
bool isA(const clang::CXXRecordDecl* Class, llvm::StringRef Name) {
  const auto Is = [&](const clang::CXXRecordDecl* Each) { return Each->getIdentifier() && Each->getName() == Name && isOfLibrary(*Each); };
  return Class && Class->hasDefinition() && !Class->isDependentContext() &&
         (Is(Class) || !Class->forallBases([&](const clang::CXXRecordDecl* Base) { return !Is(Base); }));
}

/// torch::nn::ModuleHolder, and smart pointers to modules.
bool holdsModule(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* Pointer = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Class);
  const bool IsSmart = Pointer && Pointer->isInStdNamespace() && Pointer->getIdentifier() &&
                       llvm::is_contained({"shared_ptr", "unique_ptr"}, Pointer->getName());
  return isA(Class, "ModuleHolder") || (IsSmart && isA(Pointer->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl(), "Module"));
}

/// How a variable of the type is given another value; nothing where that is no write of a tensor.
std::optional<Write::How> rebinding(clang::QualType Type) {
  return holdsTensor(Type) ? std::optional(Write::How::Rebound) : holdsModule(Type) ? std::optional(Write::How::Module) : std::nullopt;
}

const clang::CallExpr* tied(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&spelled(E));
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  return Function && Function->getIdentifier() && Function->isInStdNamespace() && Function->getName() == "tie" ? Call : nullptr;
}

/// `x[0] = y`, to a tensor that nothing names, is a copy.
Operations assignment(const clang::CXXOperatorCallExpr& S) {
  const clang::Expr& Target = *S.getArg(0);
  Operations Result;
  if (const clang::CallExpr* Tie = tied(Target)) {
    for (const clang::Expr* Each : Tie->arguments()) {
      if (holdsTensor(Each->getType())) {
        Result.push_back({Write::How::Rebound, Each, "=", Each->getExprLoc(), S.getArg(1)});
      }
    }
  } else if (isTensor(Target.getType()) && !Target.isLValue()) {
    Result.push_back({Write::How::Values, &Target, "=", S.getOperatorLoc()});
  } else if (const std::optional<Write::How> Kind = rebinding(Target.getType())) {
    Result.push_back({*Kind, &Target, "=", S.getOperatorLoc(), S.getArg(1)});
  }
  return Result;
}

/// std::swap(a, b), a.swap(b), std::exchange(a, y): each variable is given what the other one showed.
Operations exchange(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  const llvm::StringRef Name = Function && Function->getIdentifier() && isOfLibrary(*Function) ? Function->getName() : "";
  const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call);
  if ((Name != "swap" && (Name != "exchange" || Method)) || Call.getNumArgs() != (Method ? 1U : 2U)) {
    return {};
  }
  const clang::Expr* First = &spelled(Method ? *Method->getImplicitObjectArgument() : *Call.getArg(0));
  const clang::Expr* Second = &spelled(*Call.getArg(Method ? 0 : 1));
  const std::optional<Write::How> Kind = rebinding(First->getType());
  if (!Kind) {
    return {};
  }
  Operations Result = {{*Kind, First, Name.str(), nameOf(Call), Second}};
  if (Name == "swap") {
    Result.push_back({*Kind, Second, Name.str(), Second->getExprLoc(), First});
  }
  return Result;
}

bool fills(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"push_back", "emplace_back", "push_front", "emplace_front", "push", "emplace", "try_emplace"}, true)
      .Cases({"insert", "insert_or_assign", "assign"}, true)
      .Default(false);
}

/// history.push_back(x), masks.emplace(key, x): the last argument is what the container holds then.
Operations filling(const clang::CXXMemberCallExpr& Call) {
  const clang::CXXMethodDecl* Method = Call.getMethodDecl();
  const clang::Expr& Container = spelled(*Call.getImplicitObjectArgument());
  if (Method && Method->getIdentifier() && Method->getName() == "reset" && Call.getNumArgs() != 0 && holdsModule(Container.getType())) {
    return {{Write::How::Module, &Container, "reset", nameOf(Call), Call.getArg(0)}};
  }
  const bool Fills = Method && Method->getIdentifier() && fills(Method->getName()) && isOfLibrary(*Method) && Call.getNumArgs() != 0 &&
                     holdsTensor(Method->getThisType()->getPointeeType());
  if (!Fills) {
    return {};
  }
  return {{Write::How::Filled, &Container, Method->getName().str(), nameOf(Call), Call.getArg(Call.getNumArgs() - 1)}};
}

bool changesMetadata(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"set_data", "set_", "resize_", "resize_as_", "as_strided_"}, true)
      .Cases({"t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_", "swapdims_"}, true)
      .Default(false);
}

bool writesInPlace(llvm::StringRef Name) {
  const bool IsAnother = llvm::StringSwitch<bool>(Name)
                             .Cases({"requires_grad_", "detach_", "rename_", "clip_grad_norm_", "clip_grad_value_"}, true)
                             .Default(Name.ends_with("__") && !Name.starts_with("__i"));
  return Name.ends_with("_") && !IsAnother;
}

Operations method(const clang::CXXMemberCallExpr& Call) {
  const clang::CXXMethodDecl* Method = Call.getMethodDecl();
  const clang::Expr* Object = Call.getImplicitObjectArgument();
  if (!Method || !Method->getIdentifier()) {
    return {};
  }
  if (!isTensor(Method->getThisType()->getPointeeType())) {
    return filling(Call);
  }
  const llvm::StringRef Name = Method->getName();
  if (changesMetadata(Name)) {
    return {{Write::How::Metadata, Object, Name.str(), Call.getExprLoc()}};
  }
  return writesInPlace(Name) ? Operations{{Write::How::Values, Object, Name.str(), Call.getExprLoc()}} : Operations();
}

/// What a temporary vector is made of, where that is written out; else E.
const clang::Expr& listGiven(const clang::Expr& E) {
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&spelled(E));
  const bool IsVector = Construction && Construction->getNumArgs() != 0 && libraryClass(Construction->getType()) == "vector";
  return IsVector ? spelled(*Construction->getArg(0)) : E;
}

/// at::add_out(x, ...), torch::nn::init::zeros_(x), at::_foreach_add_(list, ...).
Operations function(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || !Function->getIdentifier() || !isOfLibrary(*Function) || Function->isInStdNamespace()) {
    return {};
  }
  const llvm::StringRef Name = Function->getName();
  if (Name == "vector_to_parameters" && Call.getNumArgs() == 2) {
    return {{Write::How::Metadata, &listGiven(*Call.getArg(1)), Name.str(), nameOf(Call)}};
  }
  const bool IsInPlace = writesInPlace(Name);
  if (!IsInPlace && !Name.ends_with("_out") && !Name.ends_with("_outf")) {
    return {};
  }
  Operations Result;
  for (unsigned Index = 0; Index < Call.getNumArgs() && Index < Function->getNumParams(); ++Index) {
    const clang::QualType Type = Function->getParamDecl(Index)->getType();
    const bool IsOut = Type->isLValueReferenceType() && !Type->getPointeeType().isConstQualified() && isTensor(Type);
    if (IsOut || (IsInPlace && Index == 0)) {
      Result.push_back({Write::How::Values, Call.getArg(Index), Name.str(), nameOf(Call)});
    }
  }
  return Result;
}

Operations operationsOf(const clang::Stmt& S, const UnitIndex& Index) {
  if (const InplaceRun Run = inplaceRun(S, Index)) {
    return {{Write::How::Values, Run.Input, Run.Name.str(), Run.Where, nullptr, !Run.IsAlways}};
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S)) {
    if (Operator->getOperator() == clang::OO_Equal) {
      return assignment(*Operator);
    }
    if (Operator->isAssignmentOp() && isTensor(Operator->getArg(0)->getType())) {
      const std::string Name = clang::getOperatorSpelling(Operator->getOperator());
      return {{Write::How::Values, Operator->getArg(0), Name, Operator->getOperatorLoc()}};
    }
    return {};
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  if (!Call) {
    return {};
  }
  if (Operations Exchanged = exchange(*Call); !Exchanged.empty()) {
    return Exchanged;
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(Call);
  return Method ? method(*Method) : function(*Call);
}

bool isWriteOfValues(const clang::Expr& Given, const UnitIndex& Index) {
  const clang::Expr& E = spelled(Given);
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E);
  return llvm::any_of(operationsOf(E, Index), [](const Operation& Each) { return Each.Kind == Write::How::Values; }) ||
         (Call && isWriteOfValues(*Call->getImplicitObjectArgument(), Index));
}

Aspect aspectOf(Write::How Kind) {
  switch (Kind) {
    case Write::How::Rebound:
    case Write::How::Module:
    case Write::How::Filled:
      return Aspect::Variable;
    case Write::How::Values:
      return Aspect::Values;
    case Write::How::Metadata:
      return Aspect::Tensor;
  }
  llvm_unreachable("every kind is above");
}

Write::Fate fateOf(const Operation& Given, const Owner& Target, AnnotationsOfOne Annotations) {
  const bool IsValues = Given.Kind == Write::How::Values;
  if (Target.What == Owner::Kind::Argument) {
    if (!IsValues || !isFlagged(Target, annotation::Flag::Inplace, Annotations)) {
      return Write::Fate::Refused;
    }
    return isFlagged(Target, annotation::Flag::Static, Annotations) ? Write::Fate::KeptInPlace : Write::Fate::CopiedBack;
  }
  if (IsValues) {
    return Write::Fate::KeptInPlace;
  }
  return aspectOf(Given.Kind) == Aspect::Variable || Given.Name == "set_data" || Given.Name == "vector_to_parameters"
             ? Write::Fate::CaptureOnly
             : Write::Fate::Refused;
}

/// Of values that are one of two tensors', `(on ? x : y).zero_()`, both may be written.
Operations withBothSides(const Operations& All, const Frame& In) {
  Operations Result;
  for (const Operation& Each : All) {
    const auto* Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&withoutCasts(*Each.Target));
    if (!Choice || Each.Kind != Write::How::Values || ownerOf(*Choice, Aspect::Values, In).What != Owner::Kind::Unknown) {
      Result.push_back(Each);
      continue;
    }
    for (const clang::Expr* Side : {Choice->getTrueExpr(), Choice->getFalseExpr()}) {
      Operation OfSide = Each;
      OfSide.Target = Side;
      OfSide.IsPerhaps = true;
      Result.push_back(OfSide);
    }
  }
  return Result;
}

}  // namespace

std::vector<Write> writesOf(const clang::Stmt& S, const Place& At) {
  std::vector<Write> Result;
  for (const Operation& Each : withBothSides(operationsOf(S, At.Index), At.In)) {
    const bool MayBeOfArgument = Each.Kind != Write::How::Filled && Each.Kind != Write::How::Module;
    for (const Owner& Target : ownersOfEach(*Each.Target, aspectOf(Each.Kind), At.In)) {
      const bool IsArgument = Target.What == Owner::Kind::Argument && MayBeOfArgument;
      if ((IsArgument && !isConverted(Target, At.Annotations, At.In)) || Target.outlivesCall()) {
        const bool IsPerhaps = Each.IsPerhaps || Target.Through || Target.IsAnyElement;
        Result.push_back({Each.Kind, IsPerhaps, isWriteOfValues(*Each.Target, At.Index), Target, Each.Name,
                          fateOf(Each, Target, At.Annotations), Each.Where, S.getSourceRange(), Each.Value});
      }
    }
  }
  return Result;
}

}  // namespace graphgen::check
