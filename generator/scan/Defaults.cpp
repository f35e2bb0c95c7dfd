// SPDX-License-Identifier: Apache-2.0
//
// Constants are evaluated and spelled again, so that the text means the same in any scope.
#include "scan/Defaults.h"

#include "scan/AggregateDefaults.h"
#include "scan/TypeReader.h"
#include "scan/Types.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <iterator>

namespace graphgen::scan {
namespace {

using annotation::TypeKind;

/// Without what the compiler wraps around an expression that is converted to a class.
const clang::Expr* unwrapped(const clang::Expr* E) {
  while (true) {
    E = E->IgnoreUnlessSpelledInSource();
    const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(E);
    const auto* List = llvm::dyn_cast<clang::InitListExpr>(E);
    if (const auto* Cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(E)) {
      E = Cast->getSubExpr();
    } else if (Construction && Construction->getNumArgs() >= 1 && !Construction->getArg(0)->isDefaultArgument() &&
               (Construction->getNumArgs() == 1 || Construction->getArg(1)->isDefaultArgument())) {
      E = Construction->getArg(0);
    } else if (List && List->getNumInits() == 1) {
      E = List->getInit(0);
    } else {
      return E;
    }
  }
}

/// `E` makes an empty value of class `Type`.
bool isEmptyValue(clang::QualType Type, const clang::Expr* E) {
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(E)) {
    return (Construction->getNumArgs() == 0 || Construction->getArg(0)->isDefaultArgument()) &&
           Construction->getType()->getAsCXXRecordDecl() == Type.getNonReferenceType()->getAsCXXRecordDecl();
  }
  if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(E)) {
    return List->getNumInits() == 0;
  }
  if (const auto* Reference = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
    return qualifiedName(*Reference->getDecl()) == "std::nullopt";
  }
  return llvm::isa<clang::CXXScalarValueInitExpr>(E);
}

}  // namespace

std::optional<std::string> emptyText(clang::QualType Type, const clang::Expr& Value) {
  return isEmptyValue(Type, unwrapped(&Value)) ? std::optional<std::string>("{}") : std::nullopt;
}

namespace {

std::string integerText(const llvm::APSInt& Value) {
  if (Value.isSigned() && Value.isMinSignedValue() && Value.getBitWidth() >= 32) {
    return "(" + std::to_string(Value.getExtValue() + 1) + " - 1)";
  }
  return llvm::toString(Value, 10) + (Value.isUnsigned() && Value.getBitWidth() >= 32 ? "u" : "");
}

/// The shortest decimal that reads as `Value` again.
template <class T>
std::string shortestDecimal(T Value) {
  char Buffer[64];
  std::string Text(Buffer, std::to_chars(std::begin(Buffer), std::end(Buffer), Value).ptr);
  return Text.find_first_of(".e") == std::string::npos ? Text + ".0" : Text;
}

std::optional<std::string> floatingText(const llvm::APFloat& Value) {
  const bool IsFloat = &Value.getSemantics() == &llvm::APFloat::IEEEsingle();
  if (Value.isNaN()) {
    return std::nullopt;
  }
  if (Value.isInfinity()) {
    return std::string(Value.isNegative() ? "-" : "") + "std::numeric_limits<" + (IsFloat ? "float" : "double") + ">::infinity()";
  }
  return IsFloat ? shortestDecimal(Value.convertToFloat()) + 'f' : shortestDecimal(Value.convertToDouble());
}

std::optional<std::string> enumText(clang::QualType Type, const llvm::APSInt& Value) {
  const clang::EnumDecl* Enum = Type.getNonReferenceType()->getAsEnumDecl();
  if (!Enum || !Enum->getDeclName() || Enum->getAccess() == clang::AS_private || Enum->getAccess() == clang::AS_protected) {
    return std::nullopt;
  }
  for (const clang::EnumConstantDecl* Enumerator : Enum->enumerators()) {
    if (llvm::APSInt::isSameValue(Enumerator->getInitVal(), Value)) {
      return qualifiedName(*Enum) + "::" + Enumerator->getNameAsString();
    }
  }
  return "static_cast<" + qualifiedName(*Enum) + ">(" + integerText(Value) + ")";
}

std::string quoted(llvm::StringRef Bytes) {
  std::string Text = "\"";
  for (const char C : Bytes) {
    const auto Byte = static_cast<unsigned char>(C);
    if (C == '"' || C == '\\' || C == '?') {
      Text += '\\';
    }
    if (llvm::isPrint(C)) {
      Text += C;
      continue;
    }
    Text += '\\';
    for (const unsigned Shift : {6u, 3u, 0u}) {
      Text += static_cast<char>('0' + ((Byte >> Shift) & 7u));
    }
  }
  return Text + '"';
}

std::optional<std::string> stringText(clang::QualType Type, const clang::Expr& Value) {
  const clang::Expr* E = unwrapped(&Value);
  if (const auto* Literal = llvm::dyn_cast<clang::StringLiteral>(E)) {
    return Literal->isOrdinary() ? std::optional<std::string>(quoted(Literal->getBytes())) : std::nullopt;
  }
  return emptyText(Type, Value);
}

/// A number or an enumerator, whatever it is converted to afterwards.
std::optional<std::string> numberText(const clang::ASTContext& Context, const clang::Expr& Number) {
  clang::Expr::EvalResult Result;
  if (!Number.EvaluateAsRValue(Result, Context)) {
    return std::nullopt;
  }
  if (Result.Val.isFloat()) {
    return floatingText(Result.Val.getFloat());
  }
  if (!Result.Val.isInt()) {
    return std::nullopt;
  }
  if (Number.getType()->isEnumeralType()) {
    return enumText(Number.getType(), Result.Val.getInt());
  }
  return Number.getType()->isBooleanType() ? (Result.Val.getInt().isZero() ? "false" : "true") : integerText(Result.Val.getInt());
}

/// The number that a c10::Scalar or a graphed::Scalar is made from; null for any other initializer.
const clang::Expr* madeFrom(const clang::Expr* E) {
  while (E->getType()->isRecordType()) {
    if (!llvm::is_contained({"c10::Scalar", "graphed::Scalar"}, qualifiedName(*E->getType()->getAsCXXRecordDecl()))) {
      return nullptr;  // c10::Half, say, which rounds the number
    }
    E = E->IgnoreImplicit();
    const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(E);
    if (const auto* Cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(E)) {
      E = Cast->getSubExpr();
    } else if (Construction && Construction->getNumArgs() == 1) {
      E = Construction->getArg(0);
    } else {
      return nullptr;
    }
  }
  return E;
}

/// A null pointer, or a smart pointer that is made of one or of nothing.
bool isNull(const clang::ASTContext& Context, const clang::Expr& Value) {
  const clang::Expr* E = Value.IgnoreImplicit();
  if (E->getType()->isAnyPointerType() || E->getType()->isNullPtrType() || E->getType()->isIntegerType()) {
    return E->isNullPointerConstant(const_cast<clang::ASTContext&>(Context), clang::Expr::NPC_NeverValueDependent) !=
           clang::Expr::NPCK_NotNull;
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(E);
  const bool IsPointer = Construction && Construction->getConstructor()->getParent()->isInStdNamespace();
  return IsPointer && (Construction->getNumArgs() == 0 || (Construction->getNumArgs() == 1 && isNull(Context, *Construction->getArg(0))));
}

std::optional<std::string> scalarText(const clang::ASTContext& Context, clang::QualType Type, const clang::Expr& Value) {
  if (std::optional<std::string> Empty = emptyText(Type, Value)) {
    return Empty;
  }
  const clang::Expr* Number = madeFrom(&Value);
  return Number ? numberText(Context, *Number) : std::nullopt;
}

/// The braces that an expression begins with, under what the compiler wraps around them.
const clang::InitListExpr* bracesOf(const clang::Expr* E) {
  while (true) {
    E = E->IgnoreImplicit();
    const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(E);
    if (const auto* Of = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(E)) {
      E = Of->getSubExpr();
    } else if (const auto* Cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(E)) {
      E = Cast->getSubExpr();
    } else if (Construction && Construction->getNumArgs() >= 1) {
      E = Construction->getArg(0);
    } else {
      return llvm::dyn_cast<clang::InitListExpr>(E);
    }
  }
}

std::optional<std::string> deviceText(const clang::ASTContext& Context, const clang::Expr& Value) {
  const clang::Expr* E = unwrapped(&Value);
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(E);
  if (const auto* Literal = llvm::dyn_cast<clang::StringLiteral>(E)) {
    return "c10::Device(" + quoted(Literal->getBytes()) + ")";
  }
  if (!Construction || Construction->getNumArgs() != 2) {
    return numberText(Context, *E);
  }
  const std::optional<std::string> Type = numberText(Context, *Construction->getArg(0));
  const std::optional<std::string> Index = numberText(Context, *Construction->getArg(1));
  return Type && Index ? std::optional("c10::Device(" + *Type + ", " + *Index + ")") : std::nullopt;
}

std::optional<std::string> listText(const clang::ASTContext& Context, clang::QualType Type, const clang::Expr& Value) {
  const clang::InitListExpr* Braces = bracesOf(&Value);
  if (!Braces || Braces->getNumInits() == 0) {
    const bool TakesOne = qualifiedName(*Type->getAsCXXRecordDecl()) == "c10::ArrayRef";
    std::optional<std::string> Empty = emptyText(Type, Value);
    return Empty || !TakesOne ? Empty : numberText(Context, *unwrapped(&Value));
  }
  std::vector<std::string> Elements;
  for (const clang::Expr* Each : Braces->inits()) {
    std::optional<std::string> Text = valueText(Context, elementType(Type), *Each);
    if (!Text) {
      return std::nullopt;
    }
    Elements.push_back(*std::move(Text));
  }
  return "{" + llvm::join(Elements, ", ") + "}";
}

/// Of an optional: one that holds a list is repeated where it is empty.
std::optional<std::string> optionalText(const clang::ASTContext& Context, clang::QualType Type, const clang::Expr& Value) {
  if (std::optional<std::string> Empty = emptyText(Type, Value)) {
    return Empty;
  }
  const clang::QualType Held = elementType(Type);
  return bracesOf(&Value) && Held->isRecordType() ? std::nullopt : valueText(Context, Held, *unwrapped(&Value));
}

}  // namespace

std::optional<std::string> valueText(const clang::ASTContext& Context, clang::QualType Type, const clang::Expr& Value) {
  if (!Type->isRecordType()) {
    return numberText(Context, Value.getType()->isRecordType() ? *unwrapped(&Value) : Value);
  }
  const std::string Class = qualifiedName(*Type->getAsCXXRecordDecl());
  if (Class == "c10::Device") {
    return deviceText(Context, Value);
  }
  if (Class == "c10::Scalar") {
    return scalarText(Context, Type, Value);
  }
  if (Class == "std::basic_string" || Class == "std::basic_string_view") {
    return stringText(Type, Value);
  }
  return Class == "std::optional" ? optionalText(Context, Type, Value) : listText(Context, Type, Value);
}

/// Of a parameter of any type.
static std::optional<std::string> ignoredText(const clang::ASTContext& Context, clang::QualType Type, const clang::Expr& Value) {
  const clang::QualType Plain = Type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (!isKeyType(Plain) && isNull(Context, Value)) {
    return "nullptr";
  }
  return Plain->isPointerType() ? stringText(Type, Value) : partText(Context, Plain, Value);
}

std::optional<std::string> defaultText(const clang::ASTContext& Context, TypeKind Kind, clang::QualType Type, const clang::Expr& Value) {
  if (Value.containsErrors() || Value.isValueDependent()) {
    return std::nullopt;
  }
  clang::Expr::EvalResult Result;
  switch (Kind) {
    case TypeKind::Bool:
    case TypeKind::Integer:
    case TypeKind::Enum:
      if (!Value.EvaluateAsInt(Result, Context)) {
        return std::nullopt;
      }
      if (Kind == TypeKind::Bool) {
        return Result.Val.getInt().isZero() ? "false" : "true";
      }
      return Kind == TypeKind::Enum ? enumText(Type, Result.Val.getInt()) : integerText(Result.Val.getInt());
    case TypeKind::FloatingPoint:
      if (!Value.EvaluateAsRValue(Result, Context) || !Result.Val.isFloat()) {
        return std::nullopt;
      }
      return floatingText(Result.Val.getFloat());
    case TypeKind::String:
      return stringText(Type, Value);
    case TypeKind::LiveScalar:
    case TypeKind::AnyNumber:
      return scalarText(Context, Type, Value);
    case TypeKind::Device:
    case TypeKind::ValueList:
    case TypeKind::OptionalValue:
      return valueText(Context, Type.getNonReferenceType().getCanonicalType().getUnqualifiedType(), Value);
    case TypeKind::Ignored:
      return ignoredText(Context, Type, Value);
    case TypeKind::Module:
    case TypeKind::Object:
      return isNull(Context, Value) ? std::optional<std::string>("nullptr") : std::nullopt;
    case TypeKind::Struct:
    case TypeKind::Tuple:
    case TypeKind::Array:
      return aggregateText(Context, Type, Value);
    case TypeKind::Optional:
      return optionalPartText(Type, Value);
    case TypeKind::Void:
    case TypeKind::TensorLvalue:
    case TypeKind::Unsupported:
      return std::nullopt;
    default:
      return emptyText(Type, Value);
  }
}

}  // namespace graphgen::scan
