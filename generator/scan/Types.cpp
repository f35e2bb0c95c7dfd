// SPDX-License-Identifier: Apache-2.0
//
// Names as generated code spells them.
#include "scan/Types.h"

#include "scan/Floats.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::scan {

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
  return withExactFloats(std::move(Name), D);
}

std::string typeName(const clang::ASTContext& Context, clang::QualType Type) {
  return withExactFloats(Type.getAsString(namePolicy(Context)), Type);
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
