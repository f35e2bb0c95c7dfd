// SPDX-License-Identifier: Apache-2.0
//
// Goes down the parts that have a device, through variables and members to all that they are given.
#include "check/tensors/Devices.h"

#include "check/code/Library.h"
#include "check/code/Reassigned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"
#include "check/state/KnownValues.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

bool isOfDevice(clang::QualType Type) {
  return llvm::StringSwitch<bool>(libraryClass(Type)).Cases({"DeviceType", "Device", "TensorOptions", "optional"}, true).Default(false);
}

struct DeviceKind {
  llvm::StringLiteral Constant;  // of the enumeration of devices' types
  llvm::StringLiteral Text;      // before the index
};

constexpr DeviceKind Host = {"CPU", "cpu"};
constexpr DeviceKind Cuda = {"CUDA", "cuda"};

bool isNameOf(const DeviceKind& Kind, llvm::StringRef Text) {
  return Text.consume_front(Kind.Text) && (Text.empty() || Text.starts_with(":"));
}

/// Of an enumeration of devices' types: whether E is a constant of the kind's value.
bool isTypeOf(const DeviceKind& Kind, const clang::Expr& E, const clang::EnumDecl& Types) {
  clang::Expr::EvalResult Value;
  if (E.isValueDependent() || E.containsErrors() || !E.EvaluateAsInt(Value, Types.getASTContext())) {
    return false;
  }
  const auto Same =
      llvm::find_if(Types.enumerators(), [&](const clang::EnumConstantDecl* Each) { return Each->getName() == Kind.Constant; });
  return Same != Types.enumerator_end() && llvm::APSInt::isSameValue(Same->getInitVal(), Value.Val.getInt());
}

/// Not what a program's function gives, nor one of two devices: held.value_or(torch::kCPU).
bool isMadeOfItsParts(const clang::FunctionDecl& Function) {
  return isOfLibrary(Function) && !(Function.getIdentifier() && llvm::is_contained({"value_or", "exchange"}, Function.getName()));
}

constexpr unsigned MostDeviceSteps = 1024;  // of one question

/// What is given in a circle says nothing.
class DeviceSearch {
 public:
  DeviceSearch(const DeviceKind& Kind, const UnitIndex& Index) : Kind(Kind), Index(Index) {}

  bool says(const clang::Expr& Given);

 private:
  bool ofNamed(const clang::ValueDecl& Named);

  const DeviceKind& Kind;
  const UnitIndex& Index;
  unsigned Steps = 0;
  llvm::SmallPtrSet<const clang::ValueDecl*, 8> Open;
};

bool DeviceSearch::says(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  if (++Steps > MostDeviceSteps) {
    return false;
  }
  if (const auto* Text = llvm::dyn_cast<clang::StringLiteral>(&E)) {
    return Text->isOrdinary() && isNameOf(Kind, Text->getString());
  }
  const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E);
  if (Member && llvm::isa<clang::CXXMethodDecl>(Member->getMemberDecl())) {
    return says(*Member->getBase());
  }
  if (!isOfDevice(E.getType()) && !llvm::isa<clang::CXXConstructExpr>(E)) {
    return false;
  }
  const clang::EnumDecl* Types = E.getType()->getAsEnumDecl();
  if (Types && isTypeOf(Kind, E, *Types)) {
    return true;
  }
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
  if (Name || Member) {
    return ofNamed(Name ? *Name->getDecl() : *Member->getMemberDecl());
  }
  if (const auto* Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&E)) {
    return says(*Choice->getTrueExpr()) && says(*Choice->getFalseExpr());
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (Types || (Function && !isMadeOfItsParts(*Function))) {
    return false;
  }
  return llvm::any_of(E.children(), [&](const clang::Stmt* Each) {
    const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
    return Part && says(*Part);
  });
}

bool DeviceSearch::ofNamed(const clang::ValueDecl& Named) {
  if (!Open.insert(&Named).second) {
    return false;
  }
  const std::optional<std::vector<const clang::Expr*>> Values = allValues(Named, Index);
  const bool Result = Values && !Values->empty() && llvm::all_of(*Values, [&](const clang::Expr* Each) { return says(*Each); });
  Open.erase(&Named);
  return Result;
}

bool isNamed(const clang::FunctionDecl& Function, llvm::ArrayRef<llvm::StringRef> Names) {
  return Function.getIdentifier() && llvm::is_contained(Names, Function.getName());
}

/// x.device(), x.options().dtype(torch::kLong), torch::TensorOptions().device(x.device()), for x on the device.
bool namesDeviceOf(const clang::Expr& Given, const UnitIndex& Index, llvm::function_ref<bool(const clang::Expr&)> IsOnDevice) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&spelled(Given));
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  if (Variable && isReassigned(*Variable)) {
    return false;
  }
  const clang::Expr& E = originOf(Given);
  const auto Names = [&](const clang::Expr* Each) { return namesDeviceOf(*Each, Index, IsOnDevice) || namesCuda(*Each, Index); };
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
    return Construction->getNumArgs() != 0 && isOfDevice(E.getType()) && Names(Construction->getArg(0));
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !isOfLibrary(*Function)) {
    return false;
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(Call);
  if (!Method || Call->getNumArgs() != 0) {
    const bool KeepsDevice = Method && isNamed(*Function, {"dtype", "layout", "requires_grad", "memory_format"});
    return KeepsDevice ? Names(Method->getImplicitObjectArgument())
                       : isNamed(*Function, {"device"}) && Call->getNumArgs() != 0 && Names(Call->getArg(0));
  }
  const clang::Expr& Object = *Method->getImplicitObjectArgument();
  return isTensor(Object.getType()) && isNamed(*Function, {"options", "device"}) && IsOnDevice(Object);
}

}  // namespace

bool namesHost(const clang::Expr& E, const UnitIndex& Index) { return DeviceSearch(Host, Index).says(E); }

bool namesCuda(const clang::Expr& E, const UnitIndex& Index) { return DeviceSearch(Cuda, Index).says(E); }

bool mayNameDevice(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  if (llvm::isa<clang::CXXDefaultArgExpr>(E)) {
    return false;
  }
  const llvm::StringRef Class = libraryClass(E.getType());
  if (Class == "Device" || Class == "DeviceType") {
    return true;
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  const bool IsOfOptions = Class == "TensorOptions" && (llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(E) ||
                                                        (Function && Function->getIdentifier() && Function->getName() == "options"));
  return IsOfOptions || llvm::any_of(E.children(), [](const clang::Stmt* Each) {
           const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
           return Part && mayNameDevice(*Part);
         });
}

bool makesHostTensor(const clang::Expr& E, const UnitIndex& Index) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !isTensor(E.getType()) || !isOfLibrary(*Function)) {
    return false;
  }
  return tensorCall(E, {"cpu"}) || llvm::any_of(Call->arguments(), [&](const clang::Expr* Each) { return namesHost(*Each, Index); });
}

bool staysOnDevice(const clang::CallExpr& Call, const UnitIndex& Index, llvm::function_ref<bool(const clang::Expr&)> IsOnDevice) {
  const auto NamesDevice = [](const clang::Expr* Each) { return !isTensor(Each->getType()) && mayNameDevice(*Each); };
  const auto MayLeave = [&](const clang::Expr* Each) {
    return NamesDevice(Each) && !namesCuda(*Each, Index) && !namesDeviceOf(*Each, Index, IsOnDevice);
  };
  if (tensorCall(Call, {"cpu", "pin_memory"}) || llvm::any_of(Call.arguments(), MayLeave)) {
    return false;
  }
  const auto IsOn = [&](const clang::Expr* Each) { return Each && isTensor(Each->getType()) && IsOnDevice(*Each); };
  return IsOn(tensorOf(Call)) || llvm::any_of(Call.arguments(), IsOn) || llvm::any_of(Call.arguments(), NamesDevice);
}

}  // namespace graphgen::check
