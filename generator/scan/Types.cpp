// SPDX-License-Identifier: Apache-2.0
//
// Names as generated code spells them.
#include "scan/Types.h"

#include "scan/Floats.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::scan {
namespace {

/// `long` as `int64_t` and `unsigned long` as `uint64_t`, where they are the same; not a part of `long long` or `long double`.
std::string withFixedWidths(std::string Printed, const clang::ASTContext& Context) {
  if (Context.getTargetInfo().getInt64Type() != clang::TargetInfo::SignedLong) {
    return Printed;
  }
  constexpr llvm::StringLiteral Long("long"), Unsigned("unsigned ");
  const auto IsOfName = [](char C) { return llvm::isAlnum(C) || C == '_' || C == '$' || !llvm::isASCII(C); };
  std::string Result;
  llvm::StringRef Rest = Printed;
  for (size_t At = Rest.find(Long); At != llvm::StringRef::npos; At = Rest.find(Long)) {
    const llvm::StringRef Before = Rest.take_front(At), After = Rest.drop_front(At + Long.size());
    const bool IsWord = (Before.empty() || !IsOfName(Before.back())) && (After.empty() || !IsOfName(After.front()));
    const bool IsWhole = IsWord && !After.starts_with(" long") && !After.starts_with(" double") && !llvm::StringRef(Result).ends_with(Long);
    const bool IsUnsigned = Before.ends_with(Unsigned);
    Result += IsWhole && IsUnsigned ? Before.drop_back(Unsigned.size()) : Before;
    Result += !IsWhole ? "long" : IsUnsigned ? "uint64_t" : "int64_t";
    Rest = After;
  }
  return Result + Rest.str();
}

bool isNamedOutside(const clang::TagDecl& Tag) {
  if (!Tag.hasNameForLinkage() || Tag.getParentFunctionOrMethod()) {
    return false;
  }
  for (const clang::Decl* Each = &Tag; Each; Each = llvm::dyn_cast<clang::CXXRecordDecl>(Each->getDeclContext())) {
    if (Each->getAccess() == clang::AS_private || Each->getAccess() == clang::AS_protected) {
      return false;
    }
  }
  return true;
}

}  // namespace

clang::PrintingPolicy namePolicy(const clang::ASTContext& Context) {
  clang::PrintingPolicy Policy(Context.getPrintingPolicy());
  Policy.SuppressUnwrittenScope = true;
  Policy.SuppressInlineNamespace = llvm::to_underlying(clang::PrintingPolicy::SuppressInlineNamespaceMode::All);
  Policy.EntireContentsOfLargeArray = true;
  return Policy;
}

std::string qualifiedName(const clang::NamedDecl& D) {
  std::string Name;
  llvm::raw_string_ostream Stream(Name);
  D.printQualifiedName(Stream, namePolicy(D.getASTContext()));
  return withExactFloats(std::move(Name), D);
}

std::string instanceName(const clang::NamedDecl& D) {
  const clang::TemplateArgumentList* Arguments = nullptr;
  if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(&D)) {
    Arguments = Function->getTemplateSpecializationArgs();
  } else if (const auto* Class = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&D)) {
    Arguments = &Class->getTemplateArgs();
  }
  std::string Name;
  llvm::raw_string_ostream Stream(Name);
  D.printQualifiedName(Stream, namePolicy(D.getASTContext()));
  if (Arguments) {
    clang::printTemplateArgumentList(Stream, Arguments->asArray(), namePolicy(D.getASTContext()));
  }
  return withFixedWidths(withExactFloats(std::move(Name), D), D.getASTContext());
}

std::string typeName(const clang::ASTContext& Context, clang::QualType Type) {
  return withFixedWidths(withExactFloats(Type.getAsString(namePolicy(Context)), Type), Context);
}

bool isSpellable(const clang::TemplateArgument& TypeOrValue) {
  if (TypeOrValue.getKind() != clang::TemplateArgument::Type) {
    return true;
  }
  const clang::QualType Type = TypeOrValue.getAsType().getCanonicalType();
  if (const auto* Function = Type->getAs<clang::FunctionProtoType>()) {
    return isSpellable(Function->getReturnType()) && llvm::all_of(Function->param_types(), isSpellable);
  }
  if (const auto* Array = llvm::dyn_cast<clang::ArrayType>(Type)) {
    return isSpellable(Array->getElementType());
  }
  if (const clang::QualType Pointee = Type->getPointeeType(); !Pointee.isNull()) {
    return isSpellable(Pointee);
  }
  const clang::TagDecl* Tag = Type->getAsTagDecl();
  return !Tag || (isNamedOutside(*Tag) && llvm::all_of(templateArguments(Type->getAsCXXRecordDecl()), isSpellable));
}

std::string writtenName(const clang::ASTContext& Context, clang::QualType Type) {
  return withFixedWidths(Type.getAsString(Context.getPrintingPolicy()), Context);
}

std::vector<clang::TemplateArgument> templateArguments(const clang::CXXRecordDecl* Class) {
  std::vector<clang::TemplateArgument> Arguments;
  const auto* Instance = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(Class);
  for (const clang::TemplateArgument& Each : Instance ? Instance->getTemplateArgs().asArray() : llvm::ArrayRef<clang::TemplateArgument>()) {
    llvm::append_range(Arguments, Each.getKind() == clang::TemplateArgument::Pack ? Each.getPackAsArray() : llvm::ArrayRef(Each));
  }
  return Arguments;
}

clang::QualType elementType(clang::QualType Holder) {
  return templateArguments(Holder->getAsCXXRecordDecl()).front().getAsType().getCanonicalType();
}

bool isInteger(clang::QualType Type) {
  const auto* Builtin = Type->getAs<clang::BuiltinType>();
  return Builtin && Builtin->isInteger() && Builtin->getKind() != clang::BuiltinType::Int128 &&
         Builtin->getKind() != clang::BuiltinType::UInt128;
}

bool isFloat(clang::QualType Type) {
  return Type->isSpecificBuiltinType(clang::BuiltinType::Float) || Type->isSpecificBuiltinType(clang::BuiltinType::Double);
}

}  // namespace graphgen::scan
