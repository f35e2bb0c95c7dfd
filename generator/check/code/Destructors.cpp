// SPDX-License-Identifier: Apache-2.0
//
// A temporary may become a variable or a result, and containers and smart pointers may be empty.
#include "check/code/Destructors.h"

#include "check/code/Library.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostDestructorDepth = 8;

struct Search {
  clang::SourceLocation Where;
  std::vector<Destruction> Found = {};

  void addType(clang::QualType Type, bool IsCertain, unsigned Depth) {
    while (const clang::ArrayType* Array = Type.isNull() ? nullptr : Type->getAsArrayTypeUnsafe()) {
      Type = Array->getElementType();
    }
    const clang::CXXRecordDecl* Class = Type.isNull() ? nullptr : Type->getAsCXXRecordDecl();
    if (!Class || !Class->hasDefinition() || Class->hasTrivialDestructor() || Depth > MostDestructorDepth) {
      return;
    }
    if (isOfLibrary(*Class)) {
      return addHeld(*Class, Depth);
    }
    const clang::CXXDestructorDecl* Own = Class->getDestructor();
    if (Own && Own->isUserProvided()) {
      Found.push_back({Own, Where, IsCertain});
    }
    for (const clang::FieldDecl* Each : Class->fields()) {
      addType(Each->getType(), IsCertain, Depth + 1);
    }
    for (const clang::CXXBaseSpecifier& Each : Class->bases()) {
      addType(Each.getType(), IsCertain, Depth + 1);
    }
  }

  /// The last owner of a shared object may be elsewhere.
  void addHeld(const clang::CXXRecordDecl& Class, unsigned Depth) {
    const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&Class);
    constexpr llvm::StringLiteral Owners[] = {"unique_ptr", "optional", "vector", "array", "deque", "list", "pair", "tuple", "map"};
    if (!Instance || !llvm::is_contained(Owners, Class.getName())) {
      return;
    }
    for (const clang::TemplateArgument& Each : Instance->getTemplateArgs().asArray()) {
      const bool IsPack = Each.getKind() == clang::TemplateArgument::Pack;
      for (const clang::TemplateArgument& Part : IsPack ? Each.getPackAsArray() : llvm::ArrayRef(Each)) {
        addType(Part.getKind() == clang::TemplateArgument::Type ? Part.getAsType() : clang::QualType(), false, Depth + 1);
      }
    }
  }
};

std::vector<Destruction> ofVariables(const clang::DeclStmt& S) {
  std::vector<Destruction> Found;
  for (const clang::Decl* Each : S.decls()) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Each);
    if (Variable && Variable->hasLocalStorage()) {
      Search Of{Variable->getLocation()};
      Of.addType(Variable->getType(), !Variable->isNRVOVariable(), 0);
      llvm::append_range(Found, Of.Found);
    }
  }
  return Found;
}

}  // namespace

std::vector<Destruction> destructionsBy(const clang::Stmt& S) {
  if (const auto* Declarations = llvm::dyn_cast<clang::DeclStmt>(&S)) {
    return ofVariables(*Declarations);
  }
  const auto* Temporary = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(&S);
  const auto* Delete = llvm::dyn_cast<clang::CXXDeleteExpr>(&S);
  Search Of{S.getBeginLoc()};
  if (Temporary || Delete) {
    Of.addType(Temporary ? Temporary->getType() : Delete->getDestroyedType(), false, 0);
  }
  return Of.Found;
}

}  // namespace graphgen::check
