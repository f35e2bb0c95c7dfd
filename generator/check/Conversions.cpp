// SPDX-License-Identifier: Apache-2.0
//
// By the constants of c10::ScalarType.
#include "check/Conversions.h"

#include "check/TensorCalls.h"

#include "clang/AST/ASTContext.h"

#include "llvm/ADT/STLExtras.h"

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

bool namesOther(const clang::Stmt& S, llvm::StringRef Type, const clang::ASTContext& Context) {
  const auto* E = llvm::dyn_cast<clang::Expr>(&S);
  const llvm::StringRef Named = E ? namedBy(*E, Context) : "";
  return Named.empty() ? llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && namesOther(*Each, Type, Context); })
                       : Named != Type;
}

}  // namespace

bool namesOtherDType(const clang::CallExpr& Call, annotation::DType Of) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  return Function && llvm::any_of(Call.arguments(),
                                  [&](const clang::Expr* Each) { return namesOther(*Each, scalarType(Of), Function->getASTContext()); });
}

}  // namespace graphgen::check
