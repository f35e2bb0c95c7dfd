// SPDX-License-Identifier: Apache-2.0
//
// By names, options that are seen in the unit, and what annotations say. docs/checks/graphed-host-item.md says what is read.
#include "check/LossReads.h"

#include "check/KnownSizes.h"
#include "check/calls/ModuleRuns.h"
#include "check/code/GivenArguments.h"
#include "check/code/KnownCalls.h"
#include "check/code/Options.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

enum class Classes { Unknown, Indices, Probabilities };

bool isZero(const clang::Expr& E, const clang::ASTContext& Context) {
  llvm::APFloat Float(0.0);
  clang::Expr::EvalResult Integer;
  const clang::Expr& Value = spelled(E);
  if (Value.isValueDependent()) {
    return false;
  }
  return Value.getType()->isFloatingType() ? Value.EvaluateAsFloat(Float, Context) && Float.isZero()
                                           : Value.EvaluateAsInt(Integer, Context) && Integer.Val.getInt().isZero();
}

/// `{}`, torch::nullopt, a tensor that is not defined.
bool isNone(const clang::Expr& E) {
  const clang::Expr& Value = spelled(E);
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&Value)) {
    return Construction->getNumArgs() == 0 || (Construction->getNumArgs() == 1 && isNone(*Construction->getArg(0)));
  }
  const auto* List = llvm::dyn_cast<clang::InitListExpr>(&Value);
  return (List && List->getNumInits() == 0) || libraryClass(Value.getType()) == "nullopt_t";
}

bool isSome(const clang::Expr* Given) { return Given && !isNone(*Given); }

bool hasType(const clang::Expr* Tensor, annotation::DType Type, const Place& At) {
  return Tensor && typeOf(*Tensor, At.Annotations, At.In) == Type;
}

/// cuDNN's form, whose lengths stay on the device while a graph is captured.
bool isOfCudnn(llvm::ArrayRef<const clang::Expr*> Tensors, const clang::Expr* Blank, const Place& At, const clang::ASTContext& Context) {
  const auto HasRank = [&](const clang::Expr& Each, size_t Rank) {
    return holds(Each, At, [&](llvm::ArrayRef<int64_t> Sizes) { return Sizes.size() == Rank; }) == Holds::Always;
  };
  return Tensors.size() >= 4 && (!Blank || isZero(*Blank, Context)) && hasType(Tensors[0], annotation::DType::F32, At) &&
         HasRank(*Tensors[0], 3) && HasRank(*Tensors[1], 1) &&
         llvm::all_of(Tensors.slice(1, 3), [&](const clang::Expr* Each) { return hasType(Each, annotation::DType::I32, At); });
}

Classes classesOf(const clang::Expr& Target, const Place& At) {
  const std::optional<annotation::DType> Type = typeOf(Target, At.Annotations, At.In);
  if (!Type) {
    return At.Forms.isOfIntegers(Target, At.In) ? Classes::Indices : Classes::Unknown;
  }
  using annotation::DType;
  return llvm::is_contained({DType::F64, DType::F32, DType::F16, DType::BF16}, *Type) ? Classes::Probabilities : Classes::Indices;
}

/// Where labels are smoothed and classes weighed, the mean is over the weights of the targets that count, which are selected.
bool selectsWeights(const clang::Stmt& Options, const clang::ASTContext& Context) {
  const clang::Expr* Smoothing = optionIn(Options, "label_smoothing");
  const clang::Expr* Reduction = optionIn(Options, "reduction");
  const auto* Named = Reduction ? llvm::dyn_cast<clang::DeclRefExpr>(&spelled(*Reduction)) : nullptr;
  const bool IsMean = !Reduction || (Named && Named->getDecl()->getName() == "kMean");
  return IsMean && Smoothing && !isZero(*Smoothing, Context) && isSome(optionIn(Options, "weight"));
}

bool selectsWeights(const KnownCall& Call) {
  const clang::ASTContext& Context = Call.Function->getASTContext();
  const auto Given = [&](llvm::StringRef Parameter) { return argumentGiven(*Call.Function, Call.Arguments, Parameter); };
  clang::Expr::EvalResult Reduction;
  const bool IsMean = !Given("reduction") || (Given("reduction")->EvaluateAsInt(Reduction, Context) && Reduction.Val.getInt() == 1);
  return IsMean && isSome(Given("weight")) && Given("label_smoothing") && !isZero(*Given("label_smoothing"), Context);
}

HostRead ofClasses(llvm::StringRef Name, clang::SourceLocation Where, const clang::Expr& Target, const Place& At) {
  const Classes Are = classesOf(Target, At);
  return Are == Classes::Probabilities ? HostRead() : HostRead{Name, Where, Are == Classes::Indices};
}

HostRead readOfModule(const ModuleRun& Run, const Place& At, const clang::ASTContext& Context) {
  const llvm::StringRef Class = Run.Class;
  const std::vector<const clang::Expr*> Made = valuesOf(Run, At.Index);
  if (Class == "AdaptiveLogSoftmaxWithLoss") {
    return {Class, Run.Where, true};
  }
  if (Class == "CTCLoss") {
    const auto* Blank = Made.size() == 1 ? optionIn(*Made[0], "blank") : nullptr;
    return Made.size() == 1 && isOfCudnn(Run.Arguments, Blank, At, Context) ? HostRead() : HostRead{Class, Run.Where, true};
  }
  const bool Selects = Class == "CrossEntropyLoss" && Run.Arguments.size() == 2 &&
                       llvm::any_of(Made, [&](const clang::Expr* Each) { return selectsWeights(*Each, Context); });
  return Selects ? ofClasses(Class, Run.Where, *Run.Arguments[1], At) : HostRead();
}

}  // namespace

HostRead lossRead(const clang::Stmt& S, const Place& At) {
  const clang::ASTContext& Context = At.In.Function->getASTContext();
  if (const ModuleRun Run = moduleRun(S)) {
    return readOfModule(Run, At, Context);
  }
  const KnownCall Call = knownCall(S);
  if (!Call || isOfC(*Call.Function)) {
    return {};
  }
  if (Call.Name == "predict" && Call.Class == "AdaptiveLogSoftmaxWithLossImpl") {
    return {Call.Name, Call.Where, true};
  }
  const clang::Expr* Options = argumentGiven(*Call.Function, Call.Arguments, "options");
  if (Call.Name == "ctc_loss") {
    const clang::Expr* Lengths = argumentGiven(*Call.Function, Call.Arguments, "input_lengths");
    const clang::Expr* Blank = Options ? optionIn(*Options, "blank") : argumentGiven(*Call.Function, Call.Arguments, "blank");
    const bool Reads = Lengths && isTensor(Lengths->getType()) && !isOfCudnn(Call.Arguments, Blank, At, Context);
    return Reads ? HostRead{Call.Name, Call.Where, true} : HostRead();
  }
  const bool Selects = Call.Name == "cross_entropy_loss" ? selectsWeights(Call)
                                                         : Call.Name == "cross_entropy" && Options && selectsWeights(*Options, Context);
  const clang::Expr* Target = Selects ? argumentGiven(*Call.Function, Call.Arguments, "target") : nullptr;
  return Target ? ofClasses(Call.Name, Call.Where, *Target, At) : HostRead();
}

}  // namespace graphgen::check
