// SPDX-License-Identifier: Apache-2.0
//
// By the constants of c10::ScalarType.
#include "check/tensors/Conversions.h"

#include "check/code/Reassigned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"
#include "check/code/Views.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {
namespace {

llvm::StringRef scalarType(annotation::DType Type) {
  switch (Type) {
    case annotation::DType::F64:
      return "Double";
    case annotation::DType::F32:
      return "Float";
    case annotation::DType::F16:
      return "Half";
    case annotation::DType::BF16:
      return "BFloat16";
    case annotation::DType::F8E4M3:
      return "Float8_e4m3fn";
    case annotation::DType::F8E5M2:
      return "Float8_e5m2";
    case annotation::DType::C64:
      return "ComplexFloat";
    case annotation::DType::C128:
      return "ComplexDouble";
    case annotation::DType::I64:
      return "Long";
    case annotation::DType::I32:
      return "Int";
    case annotation::DType::I16:
      return "Short";
    case annotation::DType::I8:
      return "Char";
    case annotation::DType::U8:
      return "Byte";
    case annotation::DType::Bool:
      return "Bool";
  }
  llvm_unreachable("every dtype is above");
}

/// The enumerator that E is a constant of; empty where E is none of c10::ScalarType.
llvm::StringRef namedBy(const clang::Expr& E, const clang::ASTContext& Context) {
  const clang::EnumDecl* Types = libraryClass(E.getType()) == "ScalarType" ? E.getType().getNonReferenceType()->getAsEnumDecl() : nullptr;
  clang::Expr::EvalResult Value;
  if (!Types || E.isValueDependent() || E.containsErrors() || !E.EvaluateAsInt(Value, Context)) {
    return {};
  }
  const auto Named = llvm::find_if(Types->enumerators(), [&](const clang::EnumConstantDecl* Each) {
    return llvm::APSInt::isSameValue(Each->getInitVal(), Value.Val.getInt());
  });
  return Named == Types->enumerator_end() ? llvm::StringRef() : Named->getName();
}

/// What a variable is, where it stays what it was made of.
const clang::Expr* constantValue(const clang::Expr& E) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  const bool IsConstant = Variable && (Variable->getType().isConstQualified() || !isReassigned(*Variable));
  return IsConstant && !llvm::isa<clang::ParmVarDecl>(Variable) ? Variable->getAnyInitializer() : nullptr;
}

/// A dtype that is computed.
bool isUnknownType(const clang::Expr& E) {
  return libraryClass(E.getType()) == "ScalarType" && llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::CallExpr>(E);
}

bool isCallOf(const clang::CallExpr& Call, llvm::StringRef Name) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  return Function && Function->getIdentifier() && Function->getName() == Name;
}

/// The tensor whose dtype E is, or that a conversion follows: x.scalar_type(), x.options(), x; null where E is none of that.
const clang::Expr* tensorWithType(const clang::Expr& E) {
  if (isTensor(E.getType())) {
    return &E;
  }
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E);
  const clang::Expr* Object = Call ? Call->getImplicitObjectArgument() : nullptr;
  const bool IsAsked =
      Object && isTensor(Object->getType()) && (isCallOf(*Call, "scalar_type") || isCallOf(*Call, "dtype") || isCallOf(*Call, "options"));
  return IsAsked ? Object : nullptr;
}

/// The dtype that replaces that of the options it is called on: options.dtype(torch::kLong).
const clang::Expr* replacingType(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E);
  return Call && isCallOf(*Call, "dtype") && Call->getNumArgs() == 1 ? Call->getArg(0) : nullptr;
}

/// Tells of the dtypes that are named; of one that nobody knows as "".
class Names {
 public:
  Names(const clang::ASTContext& Context, TypeOfTensor Known, llvm::function_ref<void(llvm::StringRef)> Tell)
      : Context(Context), Known(Known), Tell(Tell) {}

  void visit(const clang::Stmt& S, unsigned Depth = 0) {
    if (Depth == MostDepth) {
      return;
    }
    const auto* E = llvm::dyn_cast<clang::Expr>(&S);
    if (E && visitType(*E, Depth)) {
      return;
    }
    for (const clang::Stmt* Each : S.children()) {
      if (Each) {
        visit(*Each, Depth + 1);
      }
    }
  }

 private:
  static constexpr unsigned MostDepth = 64;

  /// Whether nothing is left to look at.
  bool visitType(const clang::Expr& E, unsigned Depth) {
    if (const llvm::StringRef Named = namedBy(E, Context); !Named.empty()) {
      Tell(Named);
      return true;
    }
    const clang::Expr* Tensor = tensorWithType(E);
    if (const std::optional<annotation::DType> Type = Tensor ? Known(*Tensor) : std::nullopt) {
      Tell(scalarType(*Type));
      return true;
    }
    const clang::Expr* Replacing = replacingType(E);
    if (const clang::Expr* Value = Replacing ? Replacing : constantValue(E)) {
      visit(*Value, Depth + 1);
      return true;
    }
    if (isUnknownType(E)) {
      Tell("");
      return true;
    }
    return false;
  }

  const clang::ASTContext& Context;
  const TypeOfTensor Known;
  const llvm::function_ref<void(llvm::StringRef)> Tell;
};

/// A dtype, or tensor options that may hold one; not of a device alone.
bool mayNameDType(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  const llvm::StringRef Class = libraryClass(E.getType());
  if (llvm::isa<clang::CXXDefaultArgExpr>(E) || isTensor(E.getType()) || Class == "Device" || Class == "DeviceType") {
    return false;
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  const bool IsOfTensor = Function && Function->getIdentifier() && Function->getName() == "options";
  const bool IsOptions = Class == "TensorOptions" && (IsOfTensor || llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(E));
  return Class == "ScalarType" || Class == "TypeMeta" || IsOptions || llvm::any_of(E.children(), [](const clang::Stmt* Each) {
           const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
           return Part && mayNameDType(*Part);
         });
}

}  // namespace

bool namesOtherDType(const clang::CallExpr& Call, annotation::DType Of, TypeOfTensor Known) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  bool Found = false;
  const auto Judge = [&](llvm::StringRef Named) { Found |= !Named.empty() && Named != scalarType(Of); };
  const auto OfConversion = [&](const clang::Expr& Tensor) { return isConversion(Call) ? Known(Tensor) : std::nullopt; };
  for (const clang::Expr* Each : Function ? Call.arguments() : clang::CallExpr::const_arg_range({}, {})) {
    Names(Function->getASTContext(), OfConversion, Judge).visit(*Each);
  }
  return Found;
}

std::optional<bool> namesMaskType(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  bool MayName = false;
  bool NamesMask = false;
  bool NamesOther = false;
  const auto Judge = [&](llvm::StringRef Named) {
    const bool IsMask = Named == "Bool" || Named == "Byte";
    NamesMask |= IsMask;
    NamesOther |= !IsMask;
  };
  const auto Known = [](const clang::Expr&) { return std::optional<annotation::DType>(); };
  for (const clang::Expr* Each : Function ? Call.arguments() : clang::CallExpr::const_arg_range({}, {})) {
    if (mayNameDType(*Each)) {
      MayName = true;
      Names(Function->getASTContext(), Known, Judge).visit(*Each);
    }
  }
  return MayName ? std::optional(NamesMask && !NamesOther) : std::nullopt;
}

}  // namespace graphgen::check
